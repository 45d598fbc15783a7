/** The part of the configuration that a download uses. */
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

/** @returns only the settings of a download, so that passwords and tokens are not sent to its thread */
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
