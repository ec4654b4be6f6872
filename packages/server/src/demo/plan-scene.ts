import type { ScriptItem } from '@troupe/core/testing'
import type { DemoRequest } from './request.ts'
import { inLanguage, say } from './scene.ts'
import type { Scene } from './scene.ts'

/** A list of todos that is worked off before the person's eyes: one TodoWrite per model call. */
export const plan: Scene = {
  example: { en: 'Plan a trip to Kyoto', zh: '制定一个京都旅行计划' },
  shows: { en: 'a todo list that is worked off step by step (TodoWrite)', zh: '逐步完成的待办清单（TodoWrite）' },
  matches: /\bplan|\btrip\b|to-?dos?\b|计划|规划|待办|旅行|行程/,
  tools: ['TodoWrite'],
  play(request) {
    const steps = planSteps(request)
    const done = request.results.length
    const last = request.results.at(-1)
    if (last?.error !== undefined) {
      const stop = inLanguage(request, { en: 'The list could not be written:', zh: '清单无法写入：' })
      return [say(`${stop} ${last.error}`)]
    }
    if (done > steps.length) return [say(itinerary(request))]

    const opening =
      done === 0
        ? inLanguage(request, { en: 'I write down what has to be done. ', zh: '我先列出要做的事。' })
        : `${steps[done - 1]?.found ?? ''} `
    const items: ScriptItem[] = [say(opening), { call: { name: 'TodoWrite', input: { todos: todos(steps, done) } } }]
    return done === 0 ? items : [{ delayMs: 500 }, ...items]
  },
}

interface Step {
  content: string
  activeForm: string
  found: string
}

function todos(steps: Step[], done: number) {
  return steps.map(({ content, activeForm }, index) => ({
    content,
    activeForm,
    status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
  }))
}

function planSteps(request: DemoRequest): Step[] {
  const place = placeIn(request)
  if (request.language === 'zh') {
    return [
      { content: '选定日期', activeForm: '正在选定日期', found: '四月的第二周比较清静。' },
      { content: `查找去${place}的交通`, activeForm: '正在查找交通', found: '上午的火车最合适。' },
      { content: '安排三天的行程', activeForm: '正在安排行程', found: '每天一个重点，下午留空。' },
    ]
  }
  return [
    { content: 'Choose the dates', activeForm: 'Choosing the dates', found: 'The second week of April is quiet.' },
    { content: `Find a way to ${place}`, activeForm: 'Looking for a way', found: 'The morning train fits best.' },
    {
      content: 'Lay out three days',
      activeForm: 'Laying out three days',
      found: 'One main thing a day, afternoons free.',
    },
  ]
}

function placeIn({ text, language }: DemoRequest): string {
  if (language === 'en') return /\bto ([A-Z][\w'-]*(?: [A-Z][\w'-]*)*)/.exec(text)?.[1] ?? 'Kyoto'
  const before = /(\p{Script=Han}{2,4}?)的?(?:旅行|旅游|行程)/u.exec(text)?.[1]
  return before?.replace(/^(?:一|个|次|去|到|我|制定|规划|计划)+/u, '') || '京都'
}

function itinerary(request: DemoRequest): string {
  const place = placeIn(request)
  return inLanguage(request, {
    en: `All three are done. The plan for ${place}:\n\n1. **Day one** – arrive by the morning train, walk along the river.\n2. **Day two** – the old town early, a garden before noon.\n3. **Day three** – a market, then the train home.\n\nThis plan is part of the script: nothing was looked up. The list above was real.`,
    zh: `三件事都完成了。${place}的计划：\n\n1. **第一天** – 乘上午的火车到达，沿河散步。\n2. **第二天** – 清早逛老城，中午前看一座园林。\n3. **第三天** – 逛市场，然后乘火车回家。\n\n这个计划是脚本的一部分，并没有真的查询；上面的清单是真实写入的。`,
  })
}
