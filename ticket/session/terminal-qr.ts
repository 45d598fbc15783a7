import qrcode from 'qrcode-terminal'
import type { Prompter } from '../../lib/terminal/prompter.ts'

/** @returns a function that shows the address in a QR code at the terminal */
export function terminalQr({ say }: Prompter): (url: string) => void {
  let isFirst = true
  return (url) => {
    if (isFirst) say('Scan this code with the Steam mobile app:')
    isFirst = false
    qrcode.generate(url, { small: true }, (lines) => say(`\n${lines}\nOr open ${url} on the phone.\n`))
  }
}
