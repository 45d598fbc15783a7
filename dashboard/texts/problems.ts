/** The errors of the API: what is wrong, and what to do. The English ones are those of the API. */
import { isProblemCode, type ProblemCode, problemTable } from '../../handlers/problem-table.ts'
import type { Language } from './texts.ts'

type Texts = readonly [cause: string, fix: string]

/** @returns undefined for a code of a later server */
export function problemTexts(code: string, language: Language): Texts | undefined {
  if (!isProblemCode(code)) return undefined
  const { cause, fix } = problemTable[code]
  return language === 'zh' ? zh[code] : [cause, fix]
}

const zh: Readonly<Record<ProblemCode, Texts>> = {
  invalid_parameter: ['缺少某个值，或值不正确。', '请更正返回信息所指出的值。'],
  archive_refused: ['压缩包已损坏、不安全，或缺少应有的内容。', '请选择其他压缩包，或重新制作。'],
  refused_address: ['该地址不是公网地址。', '请使用公网地址，或将其主机列入 WEBHOOK_PRIVATE_HOSTS。'],
  malformed_request: ['请求不是 HTTP，或不是 WebSocket 握手。', '请检查 farmgate 前面是否有改动请求的代理。'],
  unauthorized: ['密钥无效。', '请使用其他密钥登录。'],
  origin_not_allowed: ['其他来源的网页在写入或打开 /ws。', '请在农场的 ALLOWED_ORIGINS 中加入其来源。'],
  insufficient_scope: ['您的密钥没有此权限。', '请向管理员索取有此权限的密钥。'],
  other_browser: ['另一个浏览器已打开此链接。', '请使用那个浏览器，或重启票据服务以获取新链接。'],
  not_found: ['没有这个路径。', '请与 /docs 对照，并检查代理的前缀。'],
  player_not_found: ['该玩家已不在线。', ''],
  farmhand_not_found: ['该农场帮手已不存在。', '请重新打开此页面。'],
  key_not_found: ['该密钥已不存在。', '请重新打开此页面。'],
  backup_not_found: ['该备份已不存在。', '请重新打开此页面。'],
  webhook_not_found: ['该消息推送已不存在。', '请重新打开此页面。'],
  delivery_not_found: ['该消息已不再保留。', ''],
  discord_server_not_found: ['该 Discord 服务器已解除绑定。', '请重新打开此页面。'],
  operation_not_found: ['该操作已不再保留。', ''],
  schedule_not_found: ['该定时任务已不存在。', '请重新打开此页面。'],
  save_not_found: ['该存档已不存在。', '请重新打开此页面。'],
  mod_not_found: ['该模组已不存在。', '请重新打开此页面。'],
  pack_link_not_found: ['该链接已失效。', '请向农场管理员索取新的链接。'],
  download_not_found: ['该下载地址已失效。', '请重新下载。'],
  farm_not_found: ['该农场已不存在。', '请重新打开此页面。'],
  action_not_found: ['找不到该操作。', '请重新开始。'],
  account_not_found: ['该账号已不存在。', '请重新打开此页面。'],
  invitation_not_found: ['该邀请已失效。', '请索取新的邀请。'],
  method_not_allowed: ['此路径不支持该方法。', '请使用 Allow 所列的方法。'],
  wait_timeout: ['等待期间没有发生变化。', '请再次查询。'],
  farmhand_online: ['该玩家在线。', '请等玩家离开后再试。'],
  save_in_progress: ['游戏正在存档。', '请稍后再试。'],
  ambiguous_name: ['有多个玩家使用此名字。', '请改用编号。'],
  players_connected: ['有玩家在线。', '请等所有玩家离开后再试。'],
  too_many_keys: ['密钥太多。', '请吊销一个。'],
  settings_changed: [
    '其他人同时更改了 server-settings.json。您的更改没有保存。',
    '请再次保存：只写入您的更改，其他人的更改会保留。',
  ],
  settings_unusable: [
    '无法读取或写入 server-settings.json，文件保持原样。',
    '请手动修正文件，或让 farmgate 可以写入其所在文件夹。',
  ],
  too_many_webhooks: ['消息推送太多。', '请删除一个。'],
  too_many_schedules: ['定时任务太多。', '请删除一个。'],
  too_many_invitations: ['邀请太多。', '请删除一个。'],
  too_many_pack_links: ['下载链接太多。', '请撤销一个。'],
  not_signed_in: ['密钥不代表某个人。', '请在农场的页面上登录。'],
  keys_exist: ['农场已有密钥。', '请用其中一个登录。'],
  restore_refused: ['无法恢复该备份，未做任何更改。', '请选择其他备份。'],
  save_exists: ['已有同名存档。', '请载入那个存档，或先将其移出 Saves。'],
  saves_locked: ['正在恢复、导入或上传存档。', '请等待其结束。'],
  save_refused: ['游戏未能载入该存档。', '原因见游戏的日志。'],
  host_undecided: [
    '该存档曾由某位玩家主持。',
    '请指定由谁扮演该角色：hostTo 设为 Steam64 或 GOG 编号，或 hostTo=server。',
  ],
  restart_needed: ['游戏内存中仍是旧的存档指向。', '请先重启游戏。'],
  mod_needed: ['其他已启用的模组需要它。', '请先更改那些模组，或使用 force=true。'],
  already_running: ['游戏已在运行。', ''],
  not_running: ['游戏没有运行。', ''],
  operation_running: ['另一个操作正在进行。', '请等待其结束，或将其取消。'],
  too_late: ['该操作已无法取消。', '请等待其结束。'],
  payload_too_large: ['正文过长。', '请减少内容。'],
  uri_too_long: ['网址过长。', '请减少内容。'],
  unsupported_media_type: ['正文的类型不对。', '请使用 /docs 所列的 Content-Type。'],
  range_not_satisfiable: ['范围超出末尾。', '请从 0 开始。'],
  upgrade_required: ['/ws 需要 WebSocket。', '请以 WebSocket 打开，并让代理放行 Upgrade。'],
  rate_limited: ['请求过于频繁。', '请一分钟后再试。'],
  headers_too_large: ['请求头过长。', '请减少内容。'],
  internal_error: ['farmgate 内部出错。', '详情见其日志。'],
  unsupported: ['此处不可用。', ''],
  bad_game_response: ['GAME_API_URL 不是游戏 API 的地址。', '请检查地址和游戏服务器的版本。'],
  restore_undone: [
    '游戏未能载入该备份，farmgate 已换回之前的存档。',
    '如果游戏仍未载入，请重启游戏；原因见游戏的日志。',
  ],
  issuer_unavailable: ['账号提供方无响应。', '请稍后再试。'],
  updates_unavailable: ['SMAPI 的更新服务无响应。', '请稍后再试，或检查 MODS_UPDATES_URL。'],
  game_unavailable: ['无法连接游戏服务器。', '请在游戏恢复后再试。'],
  server_not_ready: ['农场尚未就绪：正在载入存档或过夜存档。', '请稍后再试。'],
  not_configured: ['边缘没有密钥。', '请在边缘设置 API_KEY 或 FLEET_KEY。'],
  too_many_clients: ['WebSocket 连接过多。', '请稍后再试，或调高农场的 WS_MAX_CLIENTS。'],
  host_unavailable: [
    'farmgate 无法连接到运行游戏的主机。',
    '请检查 GAME_HOST 及相关变量；详情见 farmgate 的日志。',
  ],
  ticket_service_unavailable: ['票据服务无响应。', '请检查 PLATFORM_AUTH_URL 和票据服务。'],
  game_timeout: ['游戏响应超时，操作可能已生效。', '重试前请先确认。'],
  disk_failed: ['存放备份的磁盘已满或不可用。', '请释放磁盘空间；详情见 farmgate 的日志。'],
  disk_low: ['存放备份的磁盘可用空间已低于保留值，没有创建备份。', '请腾出空间，或删除旧备份。'],
}
