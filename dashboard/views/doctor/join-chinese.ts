/** The sentences of `GET /join`, and of causes, in Chinese, by the English ones. `#` is a number, a version or a quoted name. */
export const chinese = {
  // The process, and causes of outages.
  'The game runs.': '游戏正在运行。',
  'The game server refuses the connection.': '游戏服务器拒绝连接。',
  'Start it, or correct GAME_API_URL.': '请启动它，或更正 GAME_API_URL。',
  'The game server does not answer.': '游戏服务器没有响应。',
  'Look at its log, and restart it: farmgate restart.': '请查看其日志并重启：farmgate restart。',
  'The game server refuses GAME_API_KEY.': '游戏服务器拒绝 GAME_API_KEY。',
  'Set it to the API_KEY of the game server, and restart farmgate.':
    '请将其设为游戏服务器的 API_KEY，然后重启 farmgate。',
  'Another program answers in place of the game server.': '响应的是其他程序，而不是游戏服务器。',
  'Correct GAME_API_URL.': '请更正 GAME_API_URL。',
  'The game is frozen.': '游戏已卡死。',
  'The game has no farm loaded.': '游戏尚未载入农场。',
  'Wait until it has started; otherwise look at its log.': '请等待启动完成，否则请查看其日志。',
  'The ticket service does not answer, or is not signed in to Steam.': '票据服务没有响应，或未登录 Steam。',
  'Check it and its sign-in: farmgate doctor.': '请检查票据服务及其登录状态：farmgate doctor。',
  'The clock of the farm is wrong.': '农场的时钟不准。',
  'Synchronize it with NTP.': '请通过 NTP 校时。',
  'farmgate cannot write to its disk.': 'farmgate 无法写入磁盘。',
  'Free disk space, and check the permissions of DATA_DIR.': '请腾出磁盘空间，并检查 DATA_DIR 的权限。',
  'The game has crashed.': '游戏已崩溃。',
  'The game is stopped.': '游戏已停止。',
  'Start it: farmgate start, or the Process view.': '请启动它：使用“进程”页面或 farmgate start。',
  'The farm is not connected to its edge.': '农场没有连接到边缘节点。',
  'Start farmgate on its machine, and check EDGE_URL and EDGE_LINK_KEY.':
    '请在其机器上启动 farmgate，并检查 EDGE_URL 和 EDGE_LINK_KEY。',
  'The game server reports the phase #.': '游戏服务器报告的阶段：#。',
  'The game server is starting.': '游戏服务器正在启动。',
  'Wait a minute; if it stays, look at its log.': '请等待一分钟；若没有变化，请查看其日志。',
  'The game server is downloading the game.': '游戏服务器正在下载游戏。',
  'Wait until the download ends; its log shows the progress.': '请等待下载完成；其日志会显示进度。',
  "The game server is checking the game's files.": '游戏服务器正在校验游戏文件。',
  'Wait until the check ends.': '请等待校验完成。',
  // The night.
  'It is day.': '现在是白天。',
  'The night is being saved.': '正在保存当天进度。',
  'Wait for the next day.': '请等待新的一天。',
  'A festival or an event is on.': '正在举行节日或活动。',
  'Wait until it ends.': '请等待其结束。',
  'Not known while no farm is played.': '没有运行农场时无法得知。',
  // Signing in.
  'Signed in to Steam.': '已登录 Steam。',
  'The game server has lost its Steam session.': '游戏服务器失去了 Steam 会话。',
  'Check the ticket service and its sign-in: farmgate doctor.':
    '请检查票据服务及其登录状态：farmgate doctor。',
  'The game server cannot sign in to Steam.': '游戏服务器无法登录 Steam。',
  'The ticket service does not answer.': '票据服务没有响应。',
  'Start it, and check PLATFORM_AUTH_URL.': '请启动它，并检查 PLATFORM_AUTH_URL。',
  'The ticket service is not signed in to Steam.': '票据服务未登录 Steam。',
  'Sign in on the machine of the farm: docker compose run --rm ticket login':
    '请在农场所在的机器上登录：docker compose run --rm ticket login',
  'Neither the ticket service nor the game server reports it.': '票据服务和游戏服务器都没有报告。',
  'Set PLATFORM_AUTH_URL.': '请设置 PLATFORM_AUTH_URL。',
  // The clock.
  'A server cannot compare its own clock.': '服务器无法比对自己的时钟。',
  'Run farmgate doctor on another machine.': '请在另一台机器上运行 farmgate doctor。',
  'Both clocks agree.': '两边的时钟一致。',
  'The clock of the farm differs by # s from the one of this device.': '农场与此设备的时钟相差#秒。',
  'Synchronize both clocks with NTP.': '请让两台机器通过 NTP 校时。',
  // The relay.
  'Steam and GOG Galaxy reach the game.': '可以通过 Steam 和 GOG Galaxy 连接游戏。',
  'The lobby on GOG Galaxy is down, so new players cannot join.': 'GOG Galaxy 大厅不可用，新玩家无法加入。',
  'Wait a minute; if it stays, restart the game server.': '请等待一分钟；若没有变化，请重启游戏服务器。',
  'Players on GOG can join, players on Steam cannot yet.': 'GOG 玩家可以加入，Steam 玩家暂时不能。',
  'Wait a minute; if it stays, check the ticket service.': '请等待一分钟；若没有变化，请检查票据服务。',
  'The game server connects to Steam and GOG Galaxy again.': '游戏服务器正在重新连接 Steam 和 GOG Galaxy。',
  'The game server reports #.': '游戏服务器报告：#。',
  'Look at its log.': '请查看其日志。',
  'This game server does not report it.': '此游戏服务器不报告。',
  // The invite code.
  'The game has an invite code.': '游戏已有邀请码。',
  'The game server has no invite code.': '游戏服务器没有邀请码。',
  // The player limit.
  '# of # players are on the farm.': '农场在线人数：#/#。',
  'Wait until someone leaves, or raise the limit in the Settings view and reload.':
    '请等待有人离开，或在“设置”页面提高上限并重新载入。',
  // The join password.
  'The farm has no join password.': '农场没有加入密码。',
  'The farm has a join password.': '农场有加入密码。',
  'Connected players who have not typed the join password: #.': '已连接但未输入加入密码的玩家：#人。',
  'They type !login and the password into the chat.': '请他们在聊天中输入 !login 和密码。',
  // The versions.
  'Players need the game in version #.': '玩家需要的游戏版本：#。',
  'The version of the game is not known.': '游戏版本未知。',
  'Mods that the game does not load: #.': '游戏没有载入的模组：#个。',
  'farmgate mods and the Mods view say why.': '原因见“模组”页面或 farmgate mods。',
} as const

const value = /“[^”]*”|\d+(?:\.\d+)*/g

/** @returns undefined for a sentence that is not known here */
export function chineseOf(sentence: string): string | undefined {
  const values = sentence.match(value) ?? []
  const known: Readonly<Record<string, string>> = chinese
  const key = sentence.replace(value, '#')
  if (!Object.hasOwn(known, key)) return undefined
  let at = 0
  return known[key]?.replace(/#/g, () => values[at++] ?? '')
}
