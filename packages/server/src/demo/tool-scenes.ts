import type { ScriptItem } from '@troupe/core/testing'
import { type DemoRequest, inLanguage, say, type Scene, type ToolResult } from './scene.ts'

const places: [names: RegExp, zone: string, en: string, zh: string][] = [
  [/tokyo|东京/, 'Asia/Tokyo', 'Tokyo', '东京'],
  [/beijing|北京/, 'Asia/Shanghai', 'Beijing', '北京'],
  [/shanghai|上海/, 'Asia/Shanghai', 'Shanghai', '上海'],
  [/hong kong|香港/, 'Asia/Hong_Kong', 'Hong Kong', '香港'],
  [/singapore|新加坡/, 'Asia/Singapore', 'Singapore', '新加坡'],
  [/seoul|首尔/, 'Asia/Seoul', 'Seoul', '首尔'],
  [/delhi|mumbai|德里|孟买/, 'Asia/Kolkata', 'India', '印度'],
  [/dubai|迪拜/, 'Asia/Dubai', 'Dubai', '迪拜'],
  [/moscow|莫斯科/, 'Europe/Moscow', 'Moscow', '莫斯科'],
  [/cairo|开罗/, 'Africa/Cairo', 'Cairo', '开罗'],
  [/berlin|柏林/, 'Europe/Berlin', 'Berlin', '柏林'],
  [/paris|巴黎/, 'Europe/Paris', 'Paris', '巴黎'],
  [/london|伦敦/, 'Europe/London', 'London', '伦敦'],
  [/s[aã]o paulo|圣保罗/, 'America/Sao_Paulo', 'São Paulo', '圣保罗'],
  [/new york|纽约/, 'America/New_York', 'New York', '纽约'],
  [/chicago|芝加哥/, 'America/Chicago', 'Chicago', '芝加哥'],
  [/los angeles|san francisco|洛杉矶|旧金山/, 'America/Los_Angeles', 'California', '加利福尼亚'],
  [/sydney|悉尼/, 'Australia/Sydney', 'Sydney', '悉尼'],
  [/auckland|奥克兰/, 'Pacific/Auckland', 'Auckland', '奥克兰'],
  [/\butc\b|\bgmt\b/, 'UTC', 'UTC', 'UTC'],
]

function zonesIn(text: string): string[] {
  const lower = text.toLowerCase()
  const found = places.flatMap(([names, zone]) => {
    const at = lower.search(names)
    return at < 0 ? [] : [{ at, zone }]
  })
  return [...new Set(found.toSorted((a, b) => a.at - b.at).map(({ zone }) => zone))]
}

function placeForZone(zone: string, language: 'en' | 'zh'): string {
  const place = places.find((entry) => entry[1] === zone)
  return place ? place[language === 'zh' ? 3 : 2] : zone
}

interface Time {
  iso: string
  timezone: string
  weekday: string
}

export const time: Scene = {
  example: { en: 'What time is it in Tokyo?', zh: '东京现在几点？' },
  shows: { en: 'a real tool call (TimeNow)', zh: '一次真实的工具调用（TimeNow）' },
  matches: /\btime\b|\bclock\b|what day|\bdate\b|几点|时间|日期|星期几/,
  tools: ['TimeNow'],
  play(request) {
    const zones = zonesIn(request.text)
    const last = request.results.at(-1)
    if (!last) {
      if (zones.length > 1) return zones.map(timeCall)
      const asked = zones[0] ?? unknownPlace(request.text)
      return [timeCall(asked)]
    }
    if (last.error !== undefined) return afterError(request, last)
    return [say(request.results.flatMap((result) => sentence(request, result)).join('\n'))]
  },
}

export const manyCalls: Scene = {
  example: { en: 'Make several tool calls at once', zh: '同时调用多个工具' },
  shows: { en: 'five read-only tool calls in parallel', zh: '五个只读工具调用并行进行' },
  matches: /(many|several|multiple|parallel).*(call|tool|time)|(call|tool)s.*(at once|together|in parallel)|同时|并行/,
  tools: ['TimeNow'],
  play(request) {
    if (request.results.length === 0) {
      const named = zonesIn(request.text)
      const zones =
        named.length > 1 ? named : ['Asia/Tokyo', 'Asia/Shanghai', 'Europe/Berlin', 'America/New_York', 'UTC']
      return [
        say(inLanguage(request, { en: 'Checking five clocks in one step. ', zh: '在一步里同时查看五个时钟。' })),
        ...zones.map(timeCall),
      ]
    }
    const header = inLanguage(request, {
      en: '| Place | Local time | Day |\n|---|---|---|',
      zh: '| 地点 | 当地时间 | 星期 |\n|---|---|---|',
    })
    const rows = request.results.map((result) => {
      const now = timeIn(result)
      if (!now) return `| – | ${result.error ?? '–'} | – |`
      return `| ${placeForZone(now.timezone, request.language)} | ${clock(now)} | ${weekday(request, now)} |`
    })
    const end = inLanguage(request, {
      en: 'These tool calls only read, so they ran in parallel. A tool call that writes runs alone.',
      zh: '这些工具调用都是只读的，所以并行执行。会写入的工具调用单独执行。',
    })
    return [say([header, ...rows, '', end].join('\n'))]
  },
}

export const failingTool: Scene = {
  example: { en: 'Show me a failing tool', zh: '演示一个失败的工具' },
  shows: { en: 'a tool error and the recovery from it', zh: '一次工具错误及其恢复' },
  matches: /\bfail|\bbroken|\berror|失败|出错|报错|错误/,
  tools: ['TimeNow'],
  play(request) {
    const last = request.results.at(-1)
    if (!last) {
      const opening = inLanguage(request, {
        en: 'I’ll ask for the time in a place without a time zone. ',
        zh: '我来查询一个没有时区的地方的时间。',
      })
      return [say(opening), timeCall('Mars/Olympus_Mons')]
    }
    if (last.error !== undefined) return afterError(request, last)
    const end = inLanguage(request, {
      en: 'The first tool call failed. Its error said what to use instead, so the second one worked.',
      zh: '第一次工具调用失败了。错误信息说明了该用什么，所以第二次成功了。',
    })
    return [say([...sentence(request, last), end].join('\n'))]
  },
}

export const approval: Scene = {
  example: { en: 'Ask me for approval', zh: '请求我批准' },
  shows: { en: 'a tool call that needs your approval (ImageGenerate)', zh: '需要你批准的工具调用（ImageGenerate）' },
  matches: /approv|permission|ask me|批准|审批|许可|同意/,
  tools: ['ImageGenerate'],
  play(request) {
    const last = request.results.at(-1)
    if (!last) {
      const prompt = inLanguage(request, { en: 'Three hills at dusk', zh: '黄昏的三座山丘' })
      return [
        say(
          inLanguage(request, {
            en: 'Generating an image can cost money, so this needs your approval. ',
            zh: '生成图片可能收费，所以需要你批准。',
          }),
        ),
        { call: { name: 'ImageGenerate', input: { prompt, size: '320x180', model: 'demo/painter' } } },
      ]
    }
    if (last.error !== undefined) {
      const no = inLanguage(request, {
        en: 'You didn’t approve, so nothing was done. The tool returned:',
        zh: '你没有批准，所以没有执行。工具返回：',
      })
      return [say(`${no} “${last.error}”`)]
    }
    return [say(inLanguage(request, { en: 'You approved, so the tool call ran.', zh: '你批准了，工具调用已执行。' }))]
  },
}

function timeCall(timezone: string | undefined): ScriptItem {
  return { call: { name: 'TimeNow', input: timezone === undefined ? {} : { timezone } } }
}

/** Reacts to the error like a model: tries the suggested zone once, else gives up and explains. */
function afterError(request: DemoRequest, { error = '' }: ToolResult): ScriptItem[] {
  const proposed = /did you mean ([\w/+-]+)/i.exec(error)?.[1] ?? /such as "([^"]+)"/.exec(error)?.[1]
  const quoted = error
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
  const said = inLanguage(request, { en: 'The tool failed:', zh: '工具失败了：' })
  const failures = request.results.filter((result) => result.error !== undefined).length
  if (proposed === undefined || failures > 1) {
    const end = inLanguage(request, { en: 'I’ll stop here.', zh: '到此为止。' })
    return [say(`${said}\n\n${quoted}\n\n${end}`)]
  }
  const next = inLanguage(request, { en: `I’ll try \`${proposed}\` instead.\n\n`, zh: `我改用 \`${proposed}\`。\n\n` })
  return [say(`${said}\n\n${quoted}\n\n${next}`), timeCall(proposed)]
}

function timeIn({ output }: ToolResult): Time | undefined {
  const time = output as Partial<Time> | null | undefined
  return typeof time?.iso === 'string' && typeof time.timezone === 'string' ? (time as Time) : undefined
}

function sentence(request: DemoRequest, result: ToolResult): string[] {
  const now = timeIn(result)
  if (!now) return result.error === undefined ? [String(result.output)] : []
  const place = placeForZone(now.timezone, request.language)
  return [
    inLanguage(request, {
      en: `It’s **${clock(now)}** in ${place} on ${now.weekday}, ${now.iso.slice(0, 10)}.`,
      zh: `${place}现在是 ${now.iso.slice(0, 10)}（${weekday(request, now)}）**${clock(now)}**。`,
    }),
  ]
}

function clock({ iso }: Time): string {
  return iso.slice(11, 16)
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

function weekday(request: DemoRequest, { weekday: name }: Time): string {
  const index = weekdays.indexOf(name)
  return request.language === 'zh' && index >= 0 ? `星期${'日一二三四五六'.charAt(index)}` : name
}

/** Extracts the place from "the time in Atlantis". The tool decides if it exists. */
function unknownPlace(text: string): string | undefined {
  return /\btime\b.*\bin ([A-Z][\w/ -]*\w)/.exec(text)?.[1]
}
