/** Gathers what the bundle for asking for help shows of this farm. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { allFindings } from '../../client/diagnosis.ts'
import { findings } from '../../client/findings.ts'
import { connect, type Farm } from '../../client/index.ts'
import type { Endpoint, FarmPorts } from '../../handlers/endpoint.ts'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { apiKeyHolder } from '../../handlers/key-holder.ts'
import { Problem } from '../../handlers/problem.ts'
import type { Support } from '../../handlers/support.ts'
import type { VariableTraits } from '../../lib/environment.ts'
import { stringifyRecord } from '../../lib/json.ts'
import { version } from '../../lib/version.ts'
import { textForStrangers } from '../../services/support/cleaned-text.ts'
import { type BundleFile, makeBundle } from '../../services/support/make-bundle.ts'
import { logLines } from '../../services/support/recent-log.ts'
import { type FarmDispatchParts, farmDispatch } from '../dispatch/farm-dispatch.ts'
import { problemResponse } from '../http/answer.ts'
import type { Config } from './config.ts'
import { secretsOf } from './secrets.ts'
import { variables } from './variables.ts'

interface SupportParts {
  readonly config: Config
  /** Of the server, which starts later; called with the first bundle. */
  readonly dispatch: () => FarmDispatchParts
  /** The last lines of farmgate's own log, oldest first. */
  readonly ownLog: () => readonly string[]
}

/** Rows of the audit in a bundle. */
const auditRows = 200

export function openSupport({ config, dispatch, ownLog }: SupportParts): Support {
  const tokenKey = [
    ...secretsOf(config),
    config.API_KEY === undefined ? randomBytes(32).toString('hex') : '',
  ].join()
  return {
    async bundle(hasNames) {
      const parts = dispatch()
      const { farm } = parts
      const [codes, hosts, names] = await Promise.all([
        inviteCodes(farm),
        hostsOf(config, farm),
        hasNames ? [] : namesOf(farm),
      ])
      const secrets = [...secretsOf(config), ...codes]
      const clean = textForStrangers({ secrets, hosts, names, tokenKey })
      const seen = ownFarm(parts, config.DISCORD_PUBLIC_KEY !== undefined)
      return makeBundle(filesOf(config, parts, seen, ownLog), clean, parts.now())
    },
  }
}

const pretty = (record: unknown) => `${stringifyRecord(record, 2)}\n`

const filesOf = (
  config: Config,
  parts: FarmDispatchParts,
  farm: Farm,
  ownLog: SupportParts['ownLog'],
): readonly BundleFile[] => [
  {
    name: 'versions.json',
    has: 'versions of farmgate, Node, the machine, the game and its server',
    async content() {
      const { serverVersion, gameVersion } = await parts.farm.game.status()
      const { platform, arch, version: node } = process
      return pretty({ farmgate: version, node, platform, arch, serverVersion, gameVersion })
    },
  },
  {
    name: 'configuration.json',
    has: 'the variables of farmgate; of a secret only whether it is set',
    content: async () => pretty(shownConfig(config)),
  },
  {
    name: 'doctor.json',
    has: 'what the doctor finds: ok, warning or broken',
    content: async () => pretty((await allFindings(farm, { isAdmin: true })).map(withState)),
  },
  {
    name: 'log-farmgate.txt',
    has: `the last ${logLines} lines of the log of farmgate`,
    content: async () => ownLog().join('\n'),
  },
  {
    name: 'log-game.txt',
    has: `the last ${logLines} lines of the log of the game, at most 256 KiB`,
    content: async () =>
      (await parts.farm.host.hostLog(logLines)).map(({ at = '', text }) => `${at} ${text}`.trim()).join('\n'),
  },
  { name: 'metrics.txt', has: 'the metrics', content: () => farm.metrics() },
  {
    name: 'audit.json',
    has: `the last ${auditRows} actions, without their parameters, callers and addresses`,
    async content() {
      const { entries } = await parts.farm.records.audit({ limit: auditRows })
      return pretty(
        entries.map(({ at, action, origin, outcome, status }) => ({ at, action, origin, outcome, status })),
      )
    },
  },
  {
    name: 'mods.json',
    has: 'the mods of the game',
    async content() {
      const { mods } = await parts.farm.mods.mods()
      return pretty(
        mods.map(({ id, name, version, enabled, problems }) => ({ id, name, version, enabled, problems })),
      )
    },
  },
]

const withState = <Found extends { readonly found: keyof typeof findings }>(finding: Found) => ({
  ...finding,
  state: findings[finding.found],
})

function shownConfig(config: Config): Readonly<Record<string, unknown>> {
  const values: Readonly<Record<string, unknown>> = { ...config }
  const traits: Readonly<Record<string, VariableTraits>> = variables.traits
  return Object.fromEntries(
    Object.keys(variables.schema.entries).map((name) => {
      const value = values[name]
      return [name, value === undefined ? 'not set' : traits[name]?.secret === true ? 'set' : value]
    }),
  )
}

const orNone = <Value>(read: Promise<readonly Value[]>): Promise<readonly Value[]> => read.catch(() => [])

async function inviteCodes({ game }: Pick<FarmPorts, 'game'>): Promise<readonly string[]> {
  const { inviteCode, steamInviteCode, gogInviteCode } = await game.status()
  return [inviteCode, steamInviteCode, gogInviteCode].filter((code) => code !== undefined)
}

/** The host names in the configuration and of webhooks. */
async function hostsOf(config: Config, { records }: Pick<FarmPorts, 'records'>): Promise<readonly string[]> {
  const webhooks = await orNone(records.webhooks())
  const { API_HOST, WEBHOOK_PRIVATE_HOSTS } = config
  const texts = [...Object.values(config).flat(), ...webhooks.map(({ origin }) => origin)]
  return [
    ...texts.flatMap((text) => (typeof text === 'string' ? (URL.parse(text)?.hostname ?? []) : [])),
    ...(API_HOST === undefined ? [] : [API_HOST]),
    ...WEBHOOK_PRIVATE_HOSTS,
    hostname(),
  ]
}

/** Of everyone that the game or the records know. */
async function namesOf({ game, records, accounts }: FarmPorts): Promise<readonly string[]> {
  const found = await Promise.all([
    orNone(game.players().then(({ players }) => players)),
    orNone(game.farmhands().then(({ farmhands }) => farmhands)),
    orNone(records.playersSeen().then(({ players }) => players)),
    orNone(accounts.accounts().then(({ accounts }) => accounts)),
    orNone(records.allowlist().then((list) => list.map(({ note = '' }) => ({ name: note })))),
  ])
  return found.flat().map(({ name }) => name)
}

/** The farm as a client with every scope sees it, without a server between them. */
function ownFarm(parts: FarmDispatchParts, takesDiscord: boolean) {
  const reads: readonly Endpoint[] = endpoints.filter(({ method }) => method === 'GET')
  const { dispatch } = farmDispatch({ ...parts, endpoints: reads })
  const requestId = 'support'
  return connect({
    url: 'http://farm',
    async fetch(input) {
      const { pathname, search } = new URL(String(input))
      const endpoint = reads.find(({ path }) => path === pathname)
      if (endpoint === undefined)
        return problemResponse(new Problem('not_found', 'Not found', { path: pathname }), requestId)
      const answer = await dispatch({
        operationId: endpoint.operationId,
        search: search.slice(1),
        holder: apiKeyHolder(),
        from: { requestId, address: '' },
        takesDiscord,
      })
      if ('problem' in answer) return problemResponse(answer.problem, requestId)
      return 'stream' in answer
        ? new Response(answer.stream.body)
        : new Response(stringifyRecord(answer.result), { status: answer.status })
    },
  })
}
