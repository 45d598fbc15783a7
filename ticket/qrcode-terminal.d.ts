/** The package ships no types. */
declare module 'qrcode-terminal' {
  /** Draws a QR code with half-block characters and hands the lines to the callback. */
  export function generate(text: string, options: { small: boolean }, drawn: (lines: string) => void): void
}
