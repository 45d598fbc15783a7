/** The account at the stand-in for Steam. */
export const account = {
  name: 'junimo',
  password: 'canary-password-of-steam',
  steamId: '76561198000000001',
  code: 'K7Q2X',
  email: 'j***@example.com',
}
