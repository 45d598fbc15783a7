/** The Chinese texts of the page have the terms of Chinese players and panels. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../../dashboard/', import.meta.url)
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?:^|\/)(?:texts|en|zh)\.ts$/.test(name))
  .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const)
const chinese = '[\\u4e00-\\u9fff，。：；（）、]'

test('Chinese has no space between a number and the characters next to it', () => {
  // Names, ids and addresses are set apart; every other value is a number, a time or a length.
  const apart = 'name|farm|author|origin|identity|id|url|text|secret|key|sentence|reason'
  const spaced = new RegExp(
    `${chinese} (?:\\d|\\$\\{(?!(?:${apart})\\}))|(?:\\d|\\$\\{(?!(?:${apart})\\})\\w+\\}) ${chinese}`,
  )
  const found = files.flatMap(([name, text]) =>
    text.split('\n').flatMap((line) => (spaced.test(line) ? [`${name}: ${line.trim()}`] : [])),
  )
  expect(found).toEqual([])
})

test('Chinese uses the terms of players and panels, one for each thing', () => {
  const all = files.map(([, text]) => text).join('\n')
  for (const term of [
    '消息推送',
    '操作日志',
    '边缘节点',
    '时间流速',
    '连接中断',
    'TPS（每秒刻数）',
    '已连接',
    '已校验，完整无误',
    '保证第一年可完成社区中心',
    '此备份比农场当前进度超前',
    "set: '应用'",
  ])
    expect([term, all.includes(term)]).toEqual([term, true])
  for (const term of ['应答', '审计', '时钟速度', '每秒更新次数', '早走了', '读回'])
    expect([term, all.includes(term)]).toEqual([term, false])
})
