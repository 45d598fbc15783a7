/**
 * Templates of Unraid: one for each container, because Unraid has no stacks. They reach each other by their names in a
 * network that the owner makes, and the owner gives them the keys, which `prepare` makes in compose.yaml.
 * @see https://ca.unraid.net/submit/help/xml-field-reference
 */
import { description, type Variable } from './description.ts'
import { type Services, servicesFor } from './stack.ts'

const network = 'farmgate'
const data = '/mnt/user/appdata/farmgate'
/** The user `nobody` and the group `users` of Unraid. */
const [user, group] = ['99', '100']

interface Setting extends Variable {
  /** Shown only in the advanced view. */
  readonly isFixed?: true
  readonly isRequired?: true
}

const secret = (name: string, label: string, text: string): Setting => ({
  name,
  label,
  text,
  isSecret: true,
  isRequired: true,
})
const fixed = (name: string, value: string): Setting => ({
  name,
  label: name,
  text: 'Keep it as it is.',
  default: value,
  isFixed: true,
})

type Name = 'game' | 'ticket' | 'api'

/** Variables of each container. */
const settings = (services: Services): Readonly<Record<Name, readonly Setting[]>> => ({
  game: [
    { name: 'SERVER_NAME', label: 'Server name', text: 'The name that players see.', default: 'Farm' },
    {
      name: 'SERVER_PASSWORD',
      label: 'Join password',
      text: 'Players type it to join; 6 or more characters.',
      isSecret: true,
    },
    secret('API_KEY', 'Key of the game', 'Make one: openssl rand -hex 24. farmgate-api needs the same.'),
    secret('VNC_PASSWORD', 'Screen password', 'For the screen of the game; 8 characters count.'),
    {
      name: 'STEAM_AUTH_URL',
      label: 'Ticket service',
      text: 'The address of farmgate-ticket, with TICKET_KEY at its end.',
      default: `http://${network}-ticket:3001/`,
      isRequired: true,
    },
    ...['API_ENABLED', 'API_PORT', 'SETTINGS_PATH', 'USER_ID', 'GROUP_ID'].map((name) =>
      fixed(name, services.game.environment[name] ?? ''),
    ),
  ],
  ticket: [
    secret('TICKET_KEY', 'Key of the ticket service', 'Make one: openssl rand -hex 24.'),
    {
      name: 'PUBLIC_URL',
      label: 'Address of the page',
      text: 'Of farmgate-api, such as http://tower:8080. The link to sign in to Steam begins with it.',
      isRequired: true,
    },
  ],
  api: [
    secret('API_KEY', 'Key of the page', 'Make one: openssl rand -hex 24. The page asks for it.'),
    secret('GAME_API_KEY', 'Key of the game', 'API_KEY of farmgate-game.'),
    fixed('GAME_API_URL', `http://${network}-game:8080`),
    fixed('PLATFORM_AUTH_URL', `http://${network}-ticket:3001/`),
    ...['DATA_DIR', 'SAVES_DIR', 'BACKUP_DIR', 'MODS_DIR', 'MODS_OFF_DIR', 'SETTINGS_PATH'].map((name) =>
      fixed(name, services.api.environment[name] ?? ''),
    ),
  ],
})

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const element = (name: string, text: string): string => `  <${name}>${escaped(text)}</${name}>`

interface Config {
  readonly name: string
  readonly target: string
  readonly default: string
  readonly mode: string
  readonly text: string
  readonly type: 'Port' | 'Path' | 'Variable'
  readonly isFixed: boolean
  readonly isRequired: boolean
  readonly isSecret: boolean
}

function configElement({ isFixed, isRequired, isSecret, ...one }: Config): string {
  const attributes = {
    Name: one.name,
    Target: one.target,
    Default: one.default,
    Mode: one.mode,
    Description: one.text,
    Type: one.type,
    Display: isFixed ? 'advanced' : 'always',
    Required: String(isRequired),
    Mask: String(isSecret),
  }
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${escaped(value)}"`)
  return `  <Config ${written.join(' ')}>${escaped(one.default)}</Config>`
}

/** `24642:24642/udp`, or `127.0.0.1:5800:5800`. */
function portOf(text: string): Config {
  const [ports = '', mode = 'tcp'] = text.split('/')
  const [from = '', to = ''] = ports.split(':').slice(-2)
  const required = { isFixed: false, isRequired: true, isSecret: false } as const
  return { name: `Port ${to}`, target: to, default: from, mode, text: '', type: 'Port', ...required }
}

function pathOf(text: string): Config {
  const [from = '', to = '', mode = 'rw'] = text.split(':')
  const required = { isFixed: true, isRequired: true, isSecret: false } as const
  return { name: to, target: to, default: from, mode, text: '', type: 'Path', ...required }
}

const variableOf = (one: Setting): Config => ({
  name: one.label,
  target: one.name,
  default: one.default ?? '',
  mode: '',
  text: one.text,
  type: 'Variable',
  isFixed: one.isFixed === true,
  isRequired: one.isRequired === true,
  isSecret: one.isSecret === true,
})

const overviews: Readonly<Record<Name, string>> = {
  game: 'The game server of farmgate.',
  ticket: 'Signs in to Steam, and downloads the game. Its log has a link to do both.',
  api: 'The web page and the API of farmgate.',
}

/** @param compose text of compose.yaml @returns the files by their names */
export function unraid(compose: string): Readonly<Record<string, string>> {
  const services = servicesFor(compose, { data, values: { USER_ID: user, GROUP_ID: group } })
  const folder = 'deploy/templates/unraid'
  const templateOf = (name: Name): string => {
    const { image, volumes, ports = [] } = services[name]
    const [repository = ''] = image.split(':')
    const registry = repository.startsWith('ghcr.io/')
      ? `https://${repository}`
      : `https://hub.docker.com/r/${repository}`
    // Keys come as variables, and no farm reads secrets from files here.
    const mounts = volumes.filter((mount) => !/\/(keys|secrets\/\w+):/.test(mount))
    const configs = [...ports.map(portOf), ...mounts.map(pathOf), ...settings(services)[name].map(variableOf)]
    return [
      '<?xml version="1.0"?>',
      '<Container version="2">',
      element('Name', `${network}-${name}`),
      element('Repository', image),
      element('Registry', registry),
      element('Network', network),
      element('Privileged', 'false'),
      element('Support', description.support),
      element('Project', description.repository),
      element(
        'Overview',
        `${overviews[name]} farmgate is three containers: farmgate-ticket, farmgate-game and farmgate-api. Make their network first: docker network create ${network}`,
      ),
      element('Category', 'GameServers:'),
      ...(name === 'api' ? [element('WebUI', `http://[IP]:[PORT:${description.port}]/`)] : []),
      element('TemplateURL', `${description.raw}/${folder}/${network}-${name}.xml`),
      element('Icon', `${description.raw}/${description.icon}`),
      element('ExtraParams', `--restart=unless-stopped${name === 'game' ? '' : ` --user=${user}:${group}`}`),
      ...configs.map(configElement),
      '</Container>',
      '',
    ].join('\n')
  }
  const profile = [
    '<?xml version="1.0"?>',
    '<CommunityApplications>',
    element('Profile', description.text.join(' ')),
    element('Icon', `${description.raw}/${description.icon}`),
    element('WebPage', description.repository),
    '</CommunityApplications>',
    '',
  ].join('\n')
  return {
    'ca_profile.xml': profile,
    ...Object.fromEntries(
      (['game', 'ticket', 'api'] as const).map((name) => [`${network}-${name}.xml`, templateOf(name)]),
    ),
  }
}
