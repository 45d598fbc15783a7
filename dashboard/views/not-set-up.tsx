/** In place of a view that is not set up: why one would want it, and what to set. Only an admin sees it. */
import { WithHelp } from '../parts/help.tsx'
import type { ViewName } from '../parts/route.ts'
import { spoken, texts } from '../texts/texts.ts'

interface Said {
  readonly why: string
  readonly set: string
}

const en = {
  title: 'Not set up',
  what: 'Set these variables and restart farmgate:',
  views: {
    server: {
      why: 'farmgate can start, stop and restart the game, watch it, and show its log and console.',
      set: 'GAME_HOST=docker, systemd, pelican or command, with its own variables',
    },
    mods: {
      why: 'farmgate can show which mods load and why others do not, install mods, and give your friends a pack of them.',
      set: 'MODS_DIR',
    },
    saves: {
      why: 'farmgate can show the saves, add and load others, and make a backup each day.',
      set: 'SAVES_DIR',
    },
    accounts: {
      why: 'Friends can sign in with Discord or another account, without a key.',
      set: 'PUBLIC_URL with SIGN_IN_DISCORD_CLIENT_ID and SIGN_IN_DISCORD_CLIENT_SECRET, or with SIGN_IN_OIDC_ISSUER and its client',
    },
  } as Partial<Readonly<Record<ViewName, Said>>>,
}

const zh: typeof en = {
  title: '尚未设置',
  what: '请设置以下变量并重启 farmgate：',
  views: {
    server: {
      why: 'farmgate 可以启动、停止和重启游戏，监视其状态，并显示日志和控制台。',
      set: 'GAME_HOST=docker、systemd、pelican 或 command，以及各自的变量',
    },
    mods: {
      why: 'farmgate 可以显示哪些模组已载入、哪些没有及其原因，还可以安装模组，并为好友打包模组。',
      set: 'MODS_DIR',
    },
    saves: { why: 'farmgate 可以显示、添加和载入存档，并每天备份。', set: 'SAVES_DIR' },
    accounts: {
      why: '好友可以用 Discord 或其他账号登录，不需要密钥。',
      set: 'PUBLIC_URL 以及 SIGN_IN_DISCORD_CLIENT_ID 和 SIGN_IN_DISCORD_CLIENT_SECRET，或 SIGN_IN_OIDC_ISSUER 及其客户端',
    },
  },
}

const help: Partial<Readonly<Record<ViewName, string>>> = {
  server: '/help/dashboard#the-games-process',
  mods: '/help/friends#mods',
  saves: '/help/backups',
  accounts: '/help/keys-and-records#accounts',
}

const said = spoken({ en, zh })

export function NotSetUp({ view }: { readonly view: ViewName }) {
  const { title, what, views } = said.value
  const { why, set } = views[view] ?? {}
  return (
    <div class="view">
      <h1>{texts.value.views[view]}</h1>
      <section class="card">
        <h2>{title}</h2>
        <p>{why}</p>
        <p>
          {what} <strong>{set}</strong>
        </p>
        <p>
          <WithHelp text={help[view] ?? ''} />
        </p>
      </section>
    </div>
  )
}
