import qrcode from 'qrcode-terminal'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure } from '../outcome/failure.ts'
import { type AddCommand, farmOf, show, withExamples } from './add-command.ts'

export const invite: AddCommand = (program, context) => {
  const command = program
    .command('invite')
    .description('the code that players type to join')
    .option('--qr', 'draw it as a QR code too')
  withExamples(command, 'invite', 'invite --qr').action(async ({ qr }: { qr?: true }) => {
    const record = await farmOf(command, context).farm.inviteCode()
    if ('error' in record)
      throw new Failure(
        exitCodes.notFound,
        `There is no invite code now: ${record.error}`,
        'Try again when the farm is ready: farmgate status',
      )
    show(command, context, record, () => [
      record.inviteCode,
      ...(qr === true ? qrLines(record.inviteCode) : []),
    ])
  })
}

function qrLines(text: string): string[] {
  let drawn = ''
  qrcode.generate(text, { small: true }, (picture) => {
    drawn = picture
  })
  return drawn.split('\n')
}
