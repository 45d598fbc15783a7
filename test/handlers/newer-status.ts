/** The members of a status that only newer game servers send. */
export const newerMembers = {
  phase: 'running',
  serverName: 'Clover',
  startedAtUtc: '2026-11-21T11:00:00.000Z',
  tps: 60,
  steamRelayReady: true,
  galaxyLobby: 'open',
  steamSession: 'connected',
  authReadiness: 'ready',
  galaxyLobbyState: 'connected',
  steamSessionState: 'connected',
  connectionStatusCode: 'ready',
}
