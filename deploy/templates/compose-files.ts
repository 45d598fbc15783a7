/** The templates that are Compose files, and Portainer's, which names the one of this repository. */
import { stringify } from 'yaml'
import { description, folders, stackVariables } from './description.ts'
import { type Services, servicesFor } from './stack.ts'

/** Some readers take a plain `no` for false. */
const yaml = (value: unknown) =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, version: '1.1' })
/** As Compose inserts it. */
const variable = (name: string) => `\${${name}}`
const paragraphs = description.text.join('\n\n')

/** @see https://github.com/IceWhaleTech/CasaOS-AppStore/blob/main/docs/specs/compose-and-x-casaos.md */
export function casaOs(compose: string, version: string): string {
  const services = servicesFor(compose, {
    data: '/DATA/AppData/$AppID',
    values: { USER_ID: '$PUID', GROUP_ID: '$PGID', PUBLISH_ADDRESS: '0.0.0.0' },
  })
  return yaml({
    name: description.name,
    services,
    networks: { farm: null },
    'x-casaos': {
      main: 'api',
      index: '/',
      port_map: String(description.port),
      scheme: 'http',
      title: { en_US: description.name },
      icon: `${description.raw}/${description.icon}`,
      screenshot_link: description.screenshots.map((_, index) => `screenshot-${index + 1}.png`),
      tagline: { en_US: description.tagline },
      description: { en_US: paragraphs },
      tips: { before_install: { en_US: description.text[1] } },
      author: description.author,
      developer: description.author,
      category: 'Others',
      architectures: ['amd64'],
      version,
      website: description.repository,
      repo: description.repository,
      support: description.support,
      docs: description.docs,
      id: description.id,
    },
  })
}

/** Of the store in this repository; an app's id begins with that of its store. */
const umbrelStore = 'farmgate'
export const umbrelApp = `${umbrelStore}-farm`

export const umbrelStoreFile = yaml({ id: umbrelStore, name: description.name })

/** @see https://github.com/getumbrel/umbrel-apps/blob/master/README.md */
export const umbrelManifest = (version: string): string =>
  yaml({
    manifestVersion: 1.1,
    id: umbrelApp,
    category: 'social',
    name: description.name,
    version,
    tagline: description.tagline,
    description: `${paragraphs}\n\nPlayers join with the invite code on the page. The page asks for the password that Umbrel shows.`,
    releaseNotes: '',
    developer: description.author,
    website: description.repository,
    dependencies: [],
    repo: description.repository,
    support: description.support,
    port: 8426,
    gallery: description.screenshots.map((path) => `${description.raw}/${path}`),
    icon: `${description.raw}/${description.icon}`,
    path: '',
    defaultUsername: '',
    defaultPassword: '',
    deterministicPassword: true,
    submitter: description.author,
    submission: description.repository,
  })

/** In Umbrel all apps share one network, where a container is reached by the name of its app and service. */
const onSharedNetwork = (services: Services): Services =>
  JSON.parse(
    JSON.stringify(services).replaceAll(
      /http:\/\/(game|ticket):/g,
      (_, service: string) => `http://${umbrelApp}_${service}_1:`,
    ),
  )

/**
 * @param digests of a release, by the names of images with tags; undefined in this repository
 * @throws without the digest of an image
 */
export function umbrelCompose(compose: string, digests?: ReadonlyMap<string, string>): string {
  const { api, game, ticket, prepare } = onSharedNetwork(
    servicesFor(compose, {
      data: `${variable('APP_DATA_DIR')}/data`,
      values: {
        API_KEY: variable('APP_PASSWORD'),
        PUBLIC_URL: `http://${variable('DEVICE_DOMAIN_NAME')}:${variable('APP_PROXY_PORT')}`,
        TRUST_PROXY: '1',
      },
    }),
  )
  const pinned = ({ networks: _, ports: __, ...service }: Services['api']) => {
    const digest = digests === undefined ? noDigest : digests.get(service.image)
    if (digest === undefined) throw new Error(`There is no digest of the image ${service.image}`)
    return { ...service, image: `${service.image}@${digest}` }
  }
  // Umbrel sets the clock of its machine.
  const { cap_add: _, ...ofGame } = pinned(game)
  return yaml({
    services: {
      app_proxy: { environment: { APP_HOST: `${umbrelApp}_api_1`, APP_PORT: description.port } },
      api: pinned(api),
      game: { ...ofGame, ports: game.ports?.filter((port) => port.endsWith('/udp')) },
      ticket: pinned(ticket),
      prepare: pinned(prepare),
    },
  })
}

/** In this repository, whose images are those of the next release. The release has the right ones. */
const noDigest = `sha256:${'0'.repeat(64)}`

/** @see https://docs.portainer.io/advanced/app-templates/format */
export const portainer = (): string => {
  const hostFolders = Object.entries(folders).filter(([name]) => name.endsWith('_FOLDER'))
  const template = {
    id: 1,
    type: 3,
    title: description.name,
    name: description.name,
    description: description.tagline,
    note: description.text.join('<br>'),
    categories: ['games'],
    platform: 'linux',
    logo: `${description.raw}/${description.icon}`,
    repository: { url: description.repository, stackfile: 'compose.yaml' },
    env: [
      ...stackVariables.map(({ name, label, text, default: value }) => ({
        name,
        label,
        description: text,
        ...(value !== undefined && { default: value }),
      })),
      {
        name: 'PUBLISH_ADDRESS',
        label: 'Address of the page',
        description: '0.0.0.0 shows the page to your network, 127.0.0.1 to this machine alone.',
        default: '127.0.0.1',
      },
      // Relative ones would be in the folder that Portainer removes with the stack.
      ...hostFolders.map(([name, folder]) => ({
        name,
        label: `Folder ${folder}`,
        default: `/opt/farmgate/${folder}`,
        preset: true,
      })),
    ],
  }
  return `${JSON.stringify({ version: '3', templates: [template] }, undefined, 2)}\n`
}
