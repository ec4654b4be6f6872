import type { ScriptItem } from '@troupe/core/testing'
import { type DemoRequest, inLanguage, say, type Scene, type ToolResult } from './scene.ts'

export const question: Scene = {
  example: { en: 'Put a question to me', zh: '向我提一个问题' },
  shows: { en: 'a question with choices (AskUserQuestion)', zh: '带选项的问题（AskUserQuestion）' },
  matches: /\bquestions?\b|提问|提一个问题|问我/,
  tools: ['AskUserQuestion'],
  play(request) {
    const last = request.results.at(-1)
    if (last === undefined) {
      const [asked, header] = inLanguage(request, {
        en: 'Where shall the next trip go?|Trip',
        zh: '下一次旅行去哪里？|旅行',
      }).split('|') as [string, string]
      const options = inLanguage(request, {
        en: 'To the sea|Salt air and long walks;To the mountains|Clear lakes and steep paths;To a city|Museums and late trains',
        zh: '去海边|海风和长长的散步;去山里|清澈的湖和陡峭的小路;去城市|博物馆和末班车',
      })
        .split(';')
        .map((option) => {
          const [label, description] = option.split('|') as [string, string]
          return { label, description }
        })
      return [
        say(inLanguage(request, { en: 'This one only you can answer. ', zh: '这个问题只有您能回答。' })),
        {
          call: {
            name: 'AskUserQuestion',
            input: { questions: [{ question: asked, header, options, multiSelect: false }] },
          },
        },
      ]
    }
    if (last.error !== undefined) {
      const none = inLanguage(request, { en: 'You did not answer. I was told:', zh: '您没有回答。我收到的是：' })
      return [say(`${none} “${last.error}”`)]
    }
    const heard = inLanguage(request, { en: 'I read this:', zh: '我读到的是：' })
    const text = typeof last.output === 'string' ? last.output : JSON.stringify(last.output)
    return [say(`${heard}\n\n> ${text.replaceAll('\n', '\n> ')}`)]
  },
}

/** A read-only command runs at once. One that writes needs approval. */
export const command: Scene = {
  example: { en: 'Run two commands', zh: '运行两个命令' },
  shows: { en: 'what runs at once and what asks first (Bash)', zh: '哪些立即执行，哪些先询问（Bash）' },
  matches: /\bcommands?\b|\bshell\b|\bterminal\b|\bbash\b|命令|终端/,
  tools: ['Bash'],
  play(request) {
    const { results } = request
    if (results.length === 0) {
      return [
        say(
          inLanguage(request, {
            en: 'The first only looks, so nobody is asked. ',
            zh: '第一个只是查看，所以不用询问。',
          }),
        ),
        { call: { name: 'Bash', input: { command: 'ls -la | head -5', description: 'Look at the folder' } } },
      ]
    }
    if (results.length === 1) {
      const next = inLanguage(request, {
        en: 'The second makes a file, so it waits for you. ',
        zh: '第二个会创建文件，所以等您决定。',
      })
      const input = { command: 'echo "made by the demo" > troupe-demo.txt', description: 'Make troupe-demo.txt' }
      return [say(next), { call: { name: 'Bash', input } }]
    }
    const last = results.at(-1)
    return [
      say(
        last?.error === undefined
          ? inLanguage(request, {
              en: 'Done: `troupe-demo.txt` is in the folder. A change made by a command cannot be undone by me; delete the file when you like.',
              zh: '完成：`troupe-demo.txt` 已在文件夹里。命令所做的修改我无法撤销；您可以随时删除这个文件。',
            })
          : inLanguage(request, {
              en: `You did not approve, so nothing was made. I was told: “${last.error}”`,
              zh: `您没有批准，所以什么也没有创建。我收到的是：“${last.error}”`,
            }),
      ),
    ]
  },
}

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

/** Runs two agents in parallel: one reads, one asks. The demo model plays both. */
export const delegate: Scene = {
  example: { en: 'Send out two agents', zh: '派出两个智能体' },
  shows: { en: 'sub-agents that you can watch, open and stop (Task)', zh: '可以查看、打开和停止的子智能体（Task）' },
  matches: /\bagents?\b|\bdelegat|\bteam\b|智能体|委派|代理/,
  tools: ['Task'],
  play(request) {
    if (request.results.length > 0) return [say(reports(request))]
    const opening = inLanguage(request, {
      en: 'I give this to two agents, which work side by side. One looks around, the other needs your word. ',
      zh: '我把这件事交给两个智能体，它们同时工作。一个四处看看，另一个需要您的决定。',
    })
    const look = inLanguage(request, { en: 'Look around in this folder', zh: '看看这个文件夹' })
    const ask = inLanguage(request, { en: 'Ask me for approval', zh: '请求我批准' })
    const systemPrompt = inLanguage(request, { en: 'You paint.', zh: '你来画画。' })
    return [
      say(opening),
      { call: { name: 'Task', input: { name: 'explore', task: look } } },
      {
        call: {
          name: 'Task',
          input: { name: 'painter', task: ask, config: { systemPrompt, tools: ['ImageGenerate'] } },
        },
      },
    ]
  },
}

/** The exploring agent's scene. Users may request it too. */
export const lookAround: Scene = {
  example: { en: 'Look around in this folder', zh: '看看这个文件夹' },
  shows: {
    en: 'two read-only calls on your own files (ListDir, Glob)',
    zh: '对您自己文件的两次只读调用（ListDir、Glob）',
  },
  matches: /look around|what.*(in|is) (this|the) folder|看看.*文件夹|文件夹里/,
  tools: ['ListDir', 'Glob'],
  play(request) {
    if (request.results.length === 0) {
      return [
        say(
          inLanguage(request, { en: 'I look at the folder and at its texts. ', zh: '我看看这个文件夹和其中的文本。' }),
        ),
        { call: { name: 'ListDir', input: { path: '.', depth: 1 } } },
        { call: { name: 'Glob', input: { pattern: '**/*.md' } } },
      ]
    }
    const failed = request.results.find(({ error }) => error !== undefined)
    if (failed !== undefined) return [say(failed.error as string)]
    const opening = inLanguage(request, { en: 'This is what I was shown:', zh: '我看到的内容：' })
    const [list] = request.results
    return [say(`${opening}\n\n\`\`\`\n${beginning(list)}\n\`\`\``)]
  },
}

function beginning(result: ToolResult | undefined): string {
  const text = typeof result?.output === 'string' ? result.output : JSON.stringify(result?.output ?? '')
  const lines = text.split('\n')
  return [...lines.slice(0, 8), ...(lines.length > 8 ? ['…'] : [])].join('\n').replaceAll('```', "'''")
}

function reports(request: DemoRequest): string {
  const failed = request.results.filter(({ error }) => error !== undefined).length
  if (failed === request.results.length) {
    const none = inLanguage(request, { en: 'No agent could work:', zh: '没有智能体能够工作：' })
    return `${none} ${request.results[0]?.error ?? ''}`
  }
  return inLanguage(request, {
    en: 'Both are back. What they reported stands in their cards above; open one to read its whole conversation, or to tell it more.',
    zh: '两个都回来了。它们的汇报在上面的卡片里；打开其中一个可以阅读完整的对话，或者继续对它说话。',
  })
}
