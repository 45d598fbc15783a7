/**
 * The egg of Pterodactyl and Pelican for the control API next to a game server of the panel: `GAME_HOST=pelican`.
 * @see https://pterodactyl.io/community/config/eggs/creating_a_custom_egg.html
 */
import { description, type Variable } from './description.ts'

const installation = `#!/bin/sh
# Installs farmgate from npm into the folder of the server.
set -eu
cd /mnt/server
npm install --no-audit --no-fund "farmgate@\${FARMGATE_VERSION}"
`

interface EggVariable extends Variable {
  /** Laravel's rules. */
  readonly rules: string
  /** Only administrators see and change it. */
  readonly isFixed?: true
}

const variables = (version: string): readonly EggVariable[] => [
  {
    name: 'PELICAN_URL',
    label: 'Address of the panel',
    text: 'Such as https://panel.example',
    rules: 'required|url',
  },
  {
    name: 'PELICAN_KEY',
    label: 'API key of the panel',
    text: 'A client API key of a user who may start and stop the game server.',
    rules: 'required|string|max:191',
  },
  {
    name: 'PELICAN_SERVER',
    label: 'Game server',
    text: 'The short id of the game server in the panel.',
    rules: 'required|string|max:64',
  },
  {
    name: 'GAME_API_URL',
    label: 'Address of the game',
    text: 'The API of the game server, such as http://172.18.0.1:8080',
    rules: 'required|url',
  },
  {
    name: 'GAME_API_KEY',
    label: 'Key of the game',
    text: 'API_KEY of the game server.',
    rules: 'required|string|max:191',
  },
  {
    name: 'API_KEY',
    label: 'Key of the page',
    text: 'The page asks for it; 16 or more characters: openssl rand -hex 24',
    rules: 'required|string|min:16|max:191',
  },
  {
    name: 'FARMGATE_VERSION',
    label: 'Version',
    text: 'Of farmgate; a reinstallation installs it.',
    default: version,
    rules: 'required|regex:/^[0-9][0-9A-Za-z.-]*$/',
  },
  {
    name: 'GAME_HOST',
    label: 'What runs the game',
    text: 'Keep it as it is.',
    default: 'pelican',
    rules: 'required|in:pelican',
    isFixed: true,
  },
]

export const egg = (version: string): string =>
  `${JSON.stringify(
    {
      _comment: 'Made by npm run templates',
      meta: { version: 'PTDL_v2', update_url: `${description.raw}/deploy/templates/egg/egg-farmgate.json` },
      // The same files give the same egg.
      exported_at: '2026-01-01T00:00:00+00:00',
      name: description.name,
      author: 'farmgate@users.noreply.github.com',
      description: `${description.tagline}: the page and the API of a game server of this panel.`,
      features: null,
      docker_images: { 'Node.js 24': 'ghcr.io/pterodactyl/yolks:nodejs_24' },
      file_denylist: [],
      startup: 'env API_PORT={{SERVER_PORT}} DATA_DIR=data node_modules/.bin/farmgate serve',
      config: {
        files: '{}',
        startup: JSON.stringify({ done: '"listening"' }),
        logs: '{}',
        stop: '^C',
      },
      scripts: { installation: { script: installation, container: 'node:24-slim', entrypoint: 'sh' } },
      variables: variables(version).map(
        ({ name, label, text, default: value = '', rules, isFixed = false }) => ({
          name: label,
          description: text,
          env_variable: name,
          default_value: value,
          user_viewable: !isFixed,
          user_editable: !isFixed,
          rules,
          field_type: 'text',
        }),
      ),
    },
    undefined,
    2,
  )}\n`
