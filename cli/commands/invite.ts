import qrcode from 'qrcode-terminal'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure } from '../outcome/failure.ts'
import { type AddCommand, runs, show, withExamples } from './add-command.ts'

export const invite: AddCommand = (program, context) => {
  const command = program
    .command('invite')
    .description('the code that players type to join')
    .option('--qr', 'draw it as a QR code too')
  withExamples(command, 'invite', 'invite --qr')
  runs(command, context, ['inviteCode', 'status'], async ({ farm }, { qr }: { qr?: true }) => {
    // The status has both codes. The game's own call has one, of Steam or of GOG Galaxy; without a key it is refused.
    const [record, status] = await Promise.all([farm.inviteCode(), farm.status()])
    const { steamInviteCode, gogInviteCode } = status
    const code = steamInviteCode ?? gogInviteCode ?? ('inviteCode' in record ? record.inviteCode : undefined)
    if (code === undefined)
      throw new Failure(
        exitCodes.notFound,
        'There is no invite code now: No invite code available',
        'Try again when the farm is ready: farmgate status',
      )
    const shown = {
      inviteCode: code,
      ...(steamInviteCode !== undefined && { steamInviteCode }),
      ...(gogInviteCode !== undefined && { gogInviteCode }),
    }
    show(command, context, shown, () => [
      ...(steamInviteCode === undefined && code === gogInviteCode ? [] : [code]),
      // A player on Steam who types the code of GOG Galaxy joins as another player, with a new farmhand.
      ...(gogInviteCode === undefined ? [] : [`For players on GOG only: ${gogInviteCode}`]),
      ...(qr === true ? qrLines(code) : []),
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
