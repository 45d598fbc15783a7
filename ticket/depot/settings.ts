/** The settings of a download, as the configuration has them. */
export interface DownloadSettings {
  readonly appId: number
  readonly gameDir: string
  readonly proxy: string | undefined
  readonly downloadConnections: number
  readonly downloadWorkers: number
  readonly forceRedownload: boolean
  readonly keepLanguages: readonly string[]
  readonly downloadExclude: readonly string[]
}

/** What a download needs of the whole configuration; the rest, passwords among it, is not its business. */
export function downloadSettings(config: DownloadSettings): DownloadSettings {
  const { appId, gameDir, proxy, keepLanguages, downloadExclude } = config
  const { downloadConnections, downloadWorkers, forceRedownload } = config
  return {
    appId,
    gameDir,
    proxy,
    downloadConnections,
    downloadWorkers,
    forceRedownload,
    keepLanguages,
    downloadExclude,
  }
}
