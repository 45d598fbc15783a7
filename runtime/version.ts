import manifest from '../package.json' with { type: 'json' }

/** farmgate's own version, from `package.json`: in the documents, the log and `/status.serverVersion`. */
export const { version } = manifest
