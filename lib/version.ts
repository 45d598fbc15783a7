/**
 * farmgate's version, that of `package.json`; shown in the documents, the log and `/status.serverVersion`. It is not imported
 * from there, because the Worker would then contain that file.
 */
export const version = '0.3.0'
