/** The texts of the doctor: each finding, and its fix. */
import type { FindingCode } from '../../../client/findings.ts'
import { counted } from '../../texts/counted.ts'
import { spoken } from '../../texts/texts.ts'

/** The finding, and its fix; empty where all is well. @param value the version, where the finding has one */
type Said = (value: string, of: string) => readonly [string, string?]

const count = counted('en')
const signIn = 'Sign in on the machine of the farm: docker compose run --rm ticket login'

const en = {
  hint: 'What the farm reports about itself. Run “farmgate doctor” on its machine to check variables, ports and folders too. All messages: /help/troubleshooting',
  lookAgain: 'Check again',
  bundle: 'Download a bundle for asking for help',
  bundleHint:
    'It has no keys, secrets or addresses, and tokens in place of names. Look through it before you send it.',
  lookedAt: (time: string) => `Checked at ${time}`,
  allWell: 'No problems found.',
  troubles: (n: string) => `${n} problems found.`,
  oneTrouble: 'One problem found.',
  underAnHour: 'less than an hour',
  states: { ok: 'OK', warning: 'Warning', broken: 'Failure' },
  checks: {
    game: 'Game',
    mods: 'Mods',
    host: 'Start and stop',
    joining: 'Joining',
    ticket: 'Ticket service',
    token: 'Steam token',
    link: 'Link to the edge',
    disk: 'Disk',
    backups: 'Backups',
    copies: 'Off-site copies',
    webhooks: 'Webhooks',
    discord: 'Discord',
    update: 'Newer release',
    clock: 'Clocks',
  },
  joining: {
    title: 'Friends cannot join?',
    nothing: 'farmgate found nothing that prevents joining.',
    all: 'All checks, in order',
    states: { ok: 'OK', unknown: 'Not known' },
    checks: {
      process: 'Game server',
      night: 'Night',
      sign_in: 'Sign-in to Steam',
      clock: 'Clock',
      relay: 'Connections',
      invite_code: 'Invite code',
      player_limit: 'Player limit',
      password: 'Join password',
      versions: 'Game and mods',
    },
  },
  notReported: 'Not available here.',
  ticketNotReported:
    'PLATFORM_AUTH_URL is not set, or this is the page of an edge. Open the page at the farm’s own address.',
  found: {
    game_runs: () => ['Running.'],
    game_unreachable: () => [
      'farmgate cannot reach the game server.',
      'Start it. If it is running, check GAME_API_URL and GAME_API_KEY; farmgate’s log names the cause.',
    ],
    game_frozen: () => ['The game server responds, but time does not pass.', 'Check its log and restart it.'],
    game_without_farm: () => [
      'The game server responds, but has no farm loaded.',
      'Wait until it has started. Otherwise check its log.',
    ],
    game_host_ready: () => ['farmgate can start and stop the game.'],
    mods_load: (n) => [count(Number(n), 'One mod, without a problem.', `${n} mods, none with a problem.`)],
    mods_broken: (n) => [
      count(Number(n), 'One mod has a problem.', `${n} mods have a problem.`),
      'The Mods view shows which, and why.',
    ],
    mods_not_set_up: () => ['farmgate does not see the mods: MODS_DIR is not set.'],
    next_save_unknown: () => ['What the next start of the game loads is not known: no pointer can be read.'],
    next_save_missing: () => [
      'The next start of the game creates a new farm.',
      'Its pointer names a save that is not there. Choose a save in the Saves view.',
    ],
    game_host_not_set_up: () => ['farmgate cannot start or stop the game: GAME_HOST is not set.'],
    game_host_unreachable: () => [
      'The host of the game does not answer.',
      'Check GAME_HOST and its variables; a restart names the cause.',
    ],
    game_host_other: () => [
      'The game responds, but the process that farmgate would stop does not run.',
      'GAME_HOST or GAME_API_URL names another game. Make them name the same.',
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
    joining_sign_in_ending: () => ['The Steam sign-in expires soon.', signIn],
    records_written: () => ['farmgate saves keys, audit and history.'],
    records_in_memory: () => [
      'Keys, audit and history are only in memory and are lost when farmgate stops.',
      'Check farmgate’s log, free disk space and the permissions of DATA_DIR.',
    ],
    clocks_agree: () => ['The clocks of the farm and of this device agree.'],
    clocks_differ: (seconds) => [
      `The farm’s clock differs by ${seconds} s from the one of this device.`,
      'Synchronize both clocks with NTP.',
    ],
    ticket_service_away: () => [
      'farmgate cannot reach it. Players cannot join by Steam invite code after the next restart of the game.',
      'Start it and check PLATFORM_AUTH_URL.',
    ],
    steam_signed_in: () => ['Signed in to Steam.'],
    steam_signed_out: () => ['Not signed in to Steam.', signIn],
    token_lasts: (days) => [count(Number(days), 'One day left.', `${days} days left.`)],
    token_ends_soon: (days) => [
      count(Number(days), 'Expires in one day.', `Expires in ${days} days.`),
      signIn,
    ],
    token_ended: () => ['Expired.', signIn],
    token_unknown: () => ['Expiry unknown.', 'Check the log of the ticket service.'],
    link_up: () => ['Connected.'],
    link_down: () => [
      'The farm is not connected to its edge.',
      'Check the link’s lines in farmgate’s log, and EDGE_URL and EDGE_LINK_KEY.',
    ],
    backups_not_made: () => [
      'No backups are made: farmgate cannot see the saves.',
      'Mount the saves and set SAVES_DIR.',
    ],
    backups_none: () => [
      'No verified backup yet.',
      'farmgate makes one when a day ends. You can also make one under Backups.',
    ],
    backups_recent: (age) => [`The last verified backup is ${age} old.`],
    backups_old: (age) => [
      `The last verified backup is ${age} old.`,
      'If anyone has played since, check farmgate’s log.',
    ],
    wrong_farm: () => ['The game does not play the expected farm.', 'Load it again under Saves.'],
    backups_failing: () => ['The last backup failed.', 'See Backups for the cause.'],
    copies_failed: (failed, of) => [
      `${failed} of ${of} backups could not be copied.`,
      'farmgate’s log names the cause: “backups cannot be copied off-site”.',
    ],
    webhooks_arrive: (n) => [
      `${count(Number(n), 'One webhook.', `${n} webhooks.`)} The last deliveries arrived.`,
    ],
    webhooks_off: (off, of) => [
      `${off} of ${of} are disabled because their receivers no longer exist.`,
      'Delete them under Webhooks and create those that you still need again.',
    ],
    webhooks_failing: (failing, of) => [
      `The last delivery of ${failing} of ${of} webhooks failed.`,
      'Each delivery under Webhooks shows its cause.',
    ],
    update_available: (version) => [
      `farmgate ${version} is available.`,
      'Update in the folder of the stack: ./farmgate update',
    ],
    discord_bound: (servers) => [`Linked Discord servers: ${servers}.`],
    discord_unbound: () => [
      'Commands are set up, but no Discord server is linked to the farm.',
      'Register the commands with “farmgate discord register” and link a server with “farmgate discord code”.',
    ],
    discord_not_set_up: (servers) => [
      `Linked Discord servers: ${servers}. farmgate refuses their commands because DISCORD_PUBLIC_KEY is missing or malformed.`,
      'Set it to the application’s Public Key (64 hexadecimal digits) and restart or deploy.',
    ],
  } satisfies Record<FindingCode, Said> as Readonly<Record<FindingCode, Said>>,
}

const signInZh = '请在农场所在的机器上登录：docker compose run --rm ticket login'

const zh: typeof en = {
  hint: '农场自身报告的状态。要检查变量、端口和文件夹，请在其机器上运行“farmgate doctor”。所有消息：/help/troubleshooting',
  lookAgain: '再次检查',
  bundle: '下载求助用的资料包',
  bundleHint: '其中没有密钥、机密和地址，玩家名以代号代替。发送之前请先查看。',
  lookedAt: (time) => `检查时间：${time}`,
  allWell: '一切正常。',
  troubles: (n) => `发现${n}个问题。`,
  oneTrouble: '发现一个问题。',
  underAnHour: '不到一小时',
  states: { ok: '正常', warning: '需要留意', broken: '故障' },
  checks: {
    game: '游戏',
    mods: '模组',
    host: '启动与停止',
    joining: '加入游戏',
    ticket: '票据服务',
    token: 'Steam 令牌',
    link: '边缘节点连接',
    disk: '磁盘',
    backups: '备份',
    copies: '异地副本',
    webhooks: '消息推送',
    discord: 'Discord',
    update: '新版本',
    clock: '时钟',
  },
  joining: {
    title: '好友无法加入？',
    nothing: 'farmgate 没有发现阻碍。',
    all: '全部检查（按顺序）',
    states: { ok: '正常', unknown: '未知' },
    checks: {
      process: '游戏服务器',
      night: '夜晚',
      sign_in: '登录 Steam',
      clock: '时钟',
      relay: '连接',
      invite_code: '邀请码',
      player_limit: '人数上限',
      password: '加入密码',
      versions: '游戏与模组',
    },
  },
  notReported: '此处不可用。',
  ticketNotReported: '未设置 PLATFORM_AUTH_URL，或这是边缘节点的页面。请打开农场自身地址的页面。',
  found: {
    game_runs: () => ['正在运行。'],
    game_unreachable: () => [
      'farmgate 无法连接游戏服务器。',
      '请启动它。如果已在运行，请检查 GAME_API_URL 和 GAME_API_KEY；farmgate 的日志会说明原因。',
    ],
    game_frozen: () => ['游戏服务器有响应，但游戏时间不走。', '请查看其日志并重启。'],
    game_without_farm: () => ['游戏服务器有响应，但尚未载入农场。', '请等待启动完成，否则请查看其日志。'],
    game_host_ready: () => ['farmgate 可以启动和停止游戏。'],
    mods_load: (n) => [`${n}个模组，均无问题。`],
    mods_broken: (n) => [`${n}个模组有问题。`, '“模组”页面会显示具体原因。'],
    mods_not_set_up: () => ['farmgate 看不到模组：未设置 MODS_DIR。'],
    next_save_unknown: () => ['无法确定游戏下次启动时载入哪个存档：读不到指向存档的记录。'],
    next_save_missing: () => [
      '游戏下次启动时会新建农场。',
      '其指向的存档不存在，请在“存档”页面选择一个存档。',
    ],
    game_host_not_set_up: () => ['farmgate 无法启动或停止游戏：未设置 GAME_HOST。'],
    game_host_unreachable: () => [
      '运行游戏的主机没有响应。',
      '请检查 GAME_HOST 及其变量；执行重启时会说明原因。',
    ],
    game_host_other: () => [
      '游戏有响应，但 farmgate 要停止的进程并未运行。',
      'GAME_HOST 或 GAME_API_URL 指向了另一个游戏，请让两者一致。',
    ],
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
    records_written: () => ['密钥、操作日志和历史记录已写入磁盘。'],
    records_in_memory: () => [
      '密钥、操作日志和历史记录只在内存中，farmgate 停止后会丢失。',
      '请查看 farmgate 的日志、剩余空间以及 DATA_DIR 的权限。',
    ],
    clocks_agree: () => ['农场与此设备的时钟一致。'],
    clocks_differ: (seconds) => [`农场与此设备的时钟相差${seconds}秒。`, '请让两台机器通过 NTP 校时。'],
    ticket_service_away: () => [
      'farmgate 无法连接票据服务。游戏下次重启后，玩家将无法用 Steam 邀请码加入。',
      '请启动它，并检查 PLATFORM_AUTH_URL。',
    ],
    steam_signed_in: () => ['已登录 Steam。'],
    steam_signed_out: () => ['未登录 Steam。', signInZh],
    token_lasts: (days) => [`还剩${days}天。`],
    token_ends_soon: (days) => [`将在${days}天后到期。`, signInZh],
    token_ended: () => ['已到期。', signInZh],
    token_unknown: () => ['有效期未知。', '请查看票据服务的日志。'],
    link_up: () => ['已连接。'],
    link_down: () => [
      '农场没有连接到边缘节点。',
      '请查看 farmgate 日志中有关连接（link）的记录，并检查 EDGE_URL 和 EDGE_LINK_KEY。',
    ],
    backups_not_made: () => ['无法备份：farmgate 找不到存档。', '请挂载存档并设置 SAVES_DIR。'],
    backups_none: () => ['还没有已校验的备份。', '每天结束后会自动备份，也可以在“备份”页面立即备份。'],
    backups_recent: (age) => [`最近一次已校验的备份是${age}前的。`],
    backups_old: (age) => [
      `最近一次已校验的备份是${age}前的。`,
      '如果此后有人玩过，请查看 farmgate 的日志。',
    ],
    wrong_farm: () => ['游戏运行的不是预期的农场。', '请在“存档”页面重新载入。'],
    backups_failing: () => ['最近一次备份失败。', '原因见“备份”页面。'],
    copies_failed: (failed, of) => [
      `${of}个备份中有${failed}个未能复制到异地。`,
      'farmgate 的日志会说明原因：“backups cannot be copied off-site”。',
    ],
    webhooks_arrive: (count) => [`共有${count}个，最近一次发送均已送达。`],
    webhooks_off: (off, of) => [
      `${of}个中有${off}个已停用，因为接收方已不存在。`,
      '请在“消息推送”中删除；仍需要的请重新创建。',
    ],
    webhooks_failing: (failing, of) => [
      `${of}个中有${failing}个最近一次发送失败。`,
      '“消息推送”中的每条记录都会显示原因。',
    ],
    update_available: (version) => [
      `已发布新版本：farmgate ${version}。`,
      '请在服务所在的文件夹中更新：./farmgate update',
    ],
    discord_bound: (servers) => [`已绑定的 Discord 服务器：${servers}个。`],
    discord_unbound: () => [
      '命令已启用，但还没有 Discord 服务器绑定到此农场。',
      '请用“farmgate discord register”注册命令，再用“farmgate discord code”绑定服务器。',
    ],
    discord_not_set_up: (servers) => [
      `已绑定的 Discord 服务器：${servers}个。未设置 DISCORD_PUBLIC_KEY 或其格式有误，farmgate 会拒绝其命令。`,
      '请将其设为应用的 Public Key（64位十六进制数字），然后重启或重新部署。',
    ],
  },
}

export const doctorTexts = spoken({ en, zh })
