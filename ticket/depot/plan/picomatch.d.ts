/** The part of picomatch that the filter uses; the package ships no types. */
declare module 'picomatch' {
  interface Options {
    /** Let wildcards match names that begin with a dot. */
    readonly dot?: boolean
    /** Match a pattern without `/` against the last part of the path. */
    readonly basename?: boolean
  }
  function picomatch(glob: string, options?: Options): (path: string) => boolean
  export = picomatch
}
