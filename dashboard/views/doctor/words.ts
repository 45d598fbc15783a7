/** The words of the doctor: each finding, and its fix. */
import type { FindingCode } from '../../../client/findings.ts'
import { counted } from '../../words/counted.ts'
import { spoken } from '../../words/words.ts'

/** What was found, and what to do about it; nothing where all is well. */
type Said = (value: string, of: string) => readonly [string, string?]

const count = counted('en')
const signIn = 'Sign in on the machine of the farm: docker compose run --rm ticket login'

const en = {
  hint: 'What the farm tells of itself. “farmgate doctor” on its machine looks at more: variables, ports, folders.',
  busy: 'Looking…',
  lookAgain: 'Look again',
  lookedAt: (time: string) => `Looked at ${time}`,
  allWell: 'All is well.',
  troubles: (n: string) => `${n} things need a look.`,
  oneTrouble: 'One thing needs a look.',
  underAnHour: 'less than an hour',
  states: { ok: 'Well', warning: 'Needs a look', broken: 'Broken' },
  checks: {
    game: 'Game',
    joining: 'Joining',
    ticket: 'Ticket service',
    token: 'Steam token',
    link: 'Link to the edge',
    disk: 'Disk',
    backups: 'Backups',
    copies: 'Off-site copies',
    webhooks: 'Webhooks',
    discord: 'Discord',
    clock: 'Clocks',
  },
  notTold: 'It is not told here.',
  ticketNotTold:
    'PLATFORM_AUTH_URL is not set, or this is the page of an edge: the page at the farm’s own address tells it.',
  found: {
    game_runs: () => ['It runs.'],
    game_unreachable: () => [
      'farmgate does not reach it.',
      'Start the game server. If it runs, check GAME_API_URL and GAME_API_KEY; the log of farmgate names the cause.',
    ],
    game_frozen: () => [
      'It answers, but time does not move.',
      'Look at its log, and restart the game server.',
    ],
    game_without_farm: () => [
      'It answers, but has no farm loaded.',
      'Wait until it has started; otherwise look at its log.',
    ],
    joining_works: () => ['Players on Steam and GOG can join.'],
    joining_steam_lost: () => [
      'The game server has lost its Steam session.',
      'It connects again automatically; if it does not, check the ticket service.',
    ],
    joining_lobby_down: () => [
      'The lobby on GOG Galaxy is down, so new players cannot join.',
      'It recovers automatically; if it does not, restart the game server.',
    ],
    joining_relay_pending: () => [
      'Players on GOG can join, players on Steam cannot yet.',
      'Wait a minute; if it stays, check the ticket service.',
    ],
    joining_sign_in_lost: () => [
      'The game server cannot sign in to Steam.',
      'Check the ticket service and its sign-in.',
    ],
    joining_sign_in_ending: () => ['The sign-in to Steam ends soon.', signIn],
    records_written: () => ['Keys, audit and history are written to it.'],
    records_in_memory: () => [
      'Keys, audit and history are kept in memory only, and are lost when farmgate stops.',
      'Look at the log of farmgate, at free space, and at the rights of DATA_DIR.',
    ],
    clocks_agree: () => ['The clocks of the farm and of this device agree.'],
    clocks_differ: (seconds) => [
      `The farm’s clock differs by ${seconds} s from the one of this device.`,
      'Let both machines set their clocks by NTP.',
    ],
    ticket_service_away: () => [
      'farmgate does not reach it: nobody can join by Steam invite code once the game starts anew.',
      'Start it, and check PLATFORM_AUTH_URL.',
    ],
    steam_signed_in: () => ['It answers, and is signed in to Steam.'],
    steam_signed_out: () => ['It is not signed in to Steam.', signIn],
    token_lasts: (days) => [count(Number(days), { one: 'One day left.', other: `${days} days left.` })],
    token_ends_soon: (days) => [
      count(Number(days), { one: 'It ends in a day.', other: `It ends in ${days} days.` }),
      signIn,
    ],
    token_ended: () => ['It has ended.', signIn],
    token_unknown: () => ['How long it lasts is not known.', 'Look at the log of the ticket service.'],
    link_up: () => ['It is open.'],
    link_down: () => [
      'The farm is not connected to its edge.',
      'Look for the link in the log of farmgate, and check EDGE_URL and EDGE_LINK_KEY.',
    ],
    backups_not_made: () => ['None are made: farmgate sees no saves.', 'Mount the saves, and set SAVES_DIR.'],
    backups_none: () => [
      'There is no verified one yet.',
      'One is made when a day ends, or at once under Backups.',
    ],
    backups_recent: (age) => [`The last verified one is ${age} old.`],
    backups_old: (age) => [
      `The last verified one is ${age} old.`,
      'If somebody has played since, look at the log of farmgate.',
    ],
    copies_failed: (failed, of) => [
      `${failed} of ${of} backups could not be copied.`,
      'The log of farmgate has the cause: “backups cannot be copied off-site”.',
    ],
    webhooks_arrive: (n) => [
      `${count(Number(n), { one: 'There is one.', other: `There are ${n}.` })} What was sent last has arrived.`,
    ],
    webhooks_off: (off, of) => [
      `${off} of ${of} are switched off, because the receiver said that it is gone.`,
      'Delete them under Webhooks, and add those that are still wanted anew.',
    ],
    webhooks_failing: (failing, of) => [
      `${failing} of ${of} failed when they were tried last.`,
      'Under Webhooks each delivery shows its cause.',
    ],
    discord_bound: (servers) => [`Discord servers that may give commands: ${servers}.`],
    discord_unbound: () => [
      'Commands are set up, but no Discord server is bound to the farm.',
      'Register the commands with “farmgate discord register”, and bind a server with “farmgate discord code”.',
    ],
    discord_not_set_up: (servers) => [
      `Discord servers that are bound: ${servers}. DISCORD_PUBLIC_KEY is not set here, or is malformed, so their commands are refused.`,
      'Set it to the Public Key of the application, 64 hexadecimal digits, and restart or deploy.',
    ],
  } satisfies Record<FindingCode, Said> as Readonly<Record<FindingCode, Said>>,
}

const signInZh = '请在农场所在的机器上登录：docker compose run --rm ticket login'

const zh: typeof en = {
  hint: '农场自己提供的信息。在其机器上运行“farmgate doctor”会检查更多：变量、端口、文件夹。',
  busy: '正在检查…',
  lookAgain: '再次检查',
  lookedAt: (time) => `检查于 ${time}`,
  allWell: '一切正常。',
  troubles: (n) => `有 ${n} 项需要处理。`,
  oneTrouble: '有一项需要处理。',
  underAnHour: '不到一小时',
  states: { ok: '正常', warning: '需要留意', broken: '故障' },
  checks: {
    game: '游戏',
    joining: '加入',
    ticket: '票据服务',
    token: 'Steam 令牌',
    link: '与边缘的连接',
    disk: '磁盘',
    backups: '备份',
    copies: '异地副本',
    webhooks: '通知',
    discord: 'Discord',
    clock: '时钟',
  },
  notTold: '此处无法得知。',
  ticketNotTold: '未设置 PLATFORM_AUTH_URL，或这是边缘的页面：请查看农场自己地址上的页面。',
  found: {
    game_runs: () => ['正在运行。'],
    game_unreachable: () => [
      'farmgate 无法连接。',
      '请启动游戏服务器。如果已在运行，请检查 GAME_API_URL 和 GAME_API_KEY；farmgate 的日志会说明原因。',
    ],
    game_frozen: () => ['有应答，但时间不动。', '请查看其日志并重启游戏服务器。'],
    game_without_farm: () => ['有应答，但尚未载入农场。', '请等待启动完成；否则请查看其日志。'],
    joining_works: () => ['Steam 和 GOG 玩家都可以加入。'],
    joining_steam_lost: () => [
      '游戏服务器失去了 Steam 会话。',
      '会自动重新连接；若没有恢复，请检查票据服务。',
    ],
    joining_lobby_down: () => [
      'GOG Galaxy 大厅不可用，新玩家无法加入。',
      '会自动恢复；若没有恢复，请重启游戏服务器。',
    ],
    joining_relay_pending: () => [
      'GOG 玩家可以加入，Steam 玩家暂时不能。',
      '请稍等片刻；若没有变化，请检查票据服务。',
    ],
    joining_sign_in_lost: () => ['游戏服务器无法登录 Steam。', '请检查票据服务及其登录状态。'],
    joining_sign_in_ending: () => ['Steam 登录即将到期。', signInZh],
    records_written: () => ['密钥、审计和历史已写入磁盘。'],
    records_in_memory: () => [
      '密钥、审计和历史只保存在内存中，farmgate 停止后会丢失。',
      '请查看 farmgate 的日志、剩余空间以及 DATA_DIR 的权限。',
    ],
    clocks_agree: () => ['农场与此设备的时钟一致。'],
    clocks_differ: (seconds) => [`农场与此设备的时钟相差 ${seconds} 秒。`, '请让两台机器通过 NTP 校时。'],
    ticket_service_away: () => [
      'farmgate 无法连接：游戏重启后，将无法通过 Steam 邀请码加入。',
      '请启动它，并检查 PLATFORM_AUTH_URL。',
    ],
    steam_signed_in: () => ['有应答，已登录 Steam。'],
    steam_signed_out: () => ['没有登录 Steam。', signInZh],
    token_lasts: (days) => [`还剩 ${days} 天。`],
    token_ends_soon: (days) => [`将在 ${days} 天后到期。`, signInZh],
    token_ended: () => ['已到期。', signInZh],
    token_unknown: () => ['有效期未知。', '请查看票据服务的日志。'],
    link_up: () => ['已连接。'],
    link_down: () => [
      '农场没有连接到边缘。',
      '请在 farmgate 的日志中查找连接，并检查 EDGE_URL 和 EDGE_LINK_KEY。',
    ],
    backups_not_made: () => ['没有备份：farmgate 看不到存档。', '请挂载存档并设置 SAVES_DIR。'],
    backups_none: () => ['还没有经过验证的备份。', '一天结束时会自动备份，也可在“备份”中立即备份。'],
    backups_recent: (age) => [`上次验证的备份在${age}前。`],
    backups_old: (age) => [`上次验证的备份在${age}前。`, '如果此后有人玩过，请查看 farmgate 的日志。'],
    copies_failed: (failed, of) => [
      `${of} 个备份中有 ${failed} 个未能复制。`,
      'farmgate 的日志会说明原因：“backups cannot be copied off-site”。',
    ],
    webhooks_arrive: (count) => [`共有 ${count} 个，最近一次发送均已送达。`],
    webhooks_off: (off, of) => [
      `${of} 个中有 ${off} 个已停用，因为接收方表示已不存在。`,
      '请在“通知”中将其删除；仍需要的请重新添加。',
    ],
    webhooks_failing: (failing, of) => [
      `${of} 个中有 ${failing} 个最近一次发送失败。`,
      '“通知”中的每次发送都会显示原因。',
    ],
    discord_bound: (servers) => [`可以发出命令的 Discord 服务器：${servers} 个。`],
    discord_unbound: () => [
      '命令已启用，但还没有 Discord 服务器绑定到此农场。',
      '请用“farmgate discord register”注册命令，再用“farmgate discord code”绑定服务器。',
    ],
    discord_not_set_up: (servers) => [
      `已绑定的 Discord 服务器：${servers} 个。此处未设置 DISCORD_PUBLIC_KEY 或其格式有误，因此其命令会被拒绝。`,
      '请将其设为应用的 Public Key（64 位十六进制数字），然后重启或重新部署。',
    ],
  },
}

export const doctorWords = spoken({ en, zh })
