import manifest from '../package.json' with { type: 'json' }

/** farmgate's version, from `package.json`; shown in the documents, the log and `/status.serverVersion`. */
export const { version } = manifest
