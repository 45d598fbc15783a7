/** Requests of programs for the existing server that farmgate answers in the same way. */
import { type Case, key } from './asking.ts'
import { abby, guarded, online, zoe } from './worlds.ts'

export const sameAnswers: readonly Case[] = [
  { ask: 'GET /status' },
  { ask: 'GET /status', world: online },
  {
    ask: 'GET /status',
    world: (world) => {
      world.isFestival = true
    },
  },
  { ask: 'GET /status', authorization: `bearer   ${key}  ` },
  { ask: 'GET /players' },
  { ask: 'GET /players', world: online },
  { ask: 'GET /invite-code' },
  {
    ask: 'GET /invite-code',
    world: (world) => {
      world.inviteBase = undefined
    },
  },
  { ask: 'GET /farmhands' },
  { ask: 'GET /health' },
  { ask: 'GET /health', authorization: '' },
  { ask: 'GET /stats' },
  { ask: 'GET /settings' },
  { ask: 'GET /cabins' },
  { ask: 'GET /rendering' },
  { ask: 'GET /screenshot' },
  { ask: 'GET /auth' },
  { ask: 'GET /auth', world: guarded },
  { ask: 'GET /diagnostics/state' },
  { ask: 'GET /diagnostics/state?masterFlag=ccPantry&masterFriendKey=Krobus' },
  { ask: 'POST /rendering?fps=15' },
  { ask: 'POST /rendering?FPS=0' },
  { ask: 'POST /time?value=1200' },
  { ask: 'POST /time?value=600' },
  { ask: 'POST /clock-speed?multiplier=10' },
  { ask: 'POST /clock-speed?multiplier=0.5' },
  { ask: 'POST /roles/admin?name=Abby' },
  { ask: 'POST /roles/admin?name=aBBY' },
  { ask: `POST /roles/admin?playerId=${abby}` },
  { ask: `POST /roles/admin?playerId=${zoe}` },
  { ask: 'DELETE /farmhands?name=Zo%C3%AB' },
  { ask: `DELETE /farmhands?playerId=${abby}` },
  { ask: 'POST /auth/timeout?value=60', world: guarded },
  { ask: 'POST /newgame' },
  { ask: 'POST /newgame', body: '{}', headers: { 'content-type': 'application/json' } },
  {
    ask: 'POST /newgame',
    body: '{"farmName":"Clover","farmType":2,"confirmText":"yes"}',
    headers: { 'content-type': 'text/plain;charset=UTF-8' },
  },
  { ask: 'POST /reload' },
  { ask: 'GET /wait/status?since=0&dayTransitionComplete=true&timeout=8000' },
  { ask: `GET /wait/players?playerId=${abby}`, world: online },
  { ask: 'GET /wait/players?playerId=5&timeout=50' },
  { ask: 'GET /wait/farmhands?farmhandCount=3&hasFarmhand=abby&requireCustomized=true' },
  { ask: 'GET /wait/health?ready=true' },
]
