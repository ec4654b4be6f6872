import type { ScriptItem } from '@troupe/core/testing'
import { type DemoRequest, inLanguage, say, type Scene, type ToolResult } from './scene.ts'

export const question: Scene = {
  example: { en: 'Ask me a question', zh: '向我提一个问题' },
  shows: { en: 'a multiple-choice question (AskUserQuestion)', zh: '带选项的问题（AskUserQuestion）' },
  matches: /\bquestions?\b|提问|提一个问题|问我/,
  tools: ['AskUserQuestion'],
  play(request) {
    const last = request.results.at(-1)
    if (last === undefined) {
      const [asked, header] = inLanguage(request, {
        en: 'Where should the next trip go?|Trip',
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
        say(inLanguage(request, { en: 'Only you can answer this one. ', zh: '这个问题只有你能回答。' })),
        {
          call: {
            name: 'AskUserQuestion',
            input: { questions: [{ question: asked, header, options, multiSelect: false }] },
          },
        },
      ]
    }
    if (last.error !== undefined) {
      const none = inLanguage(request, {
        en: 'You skipped the question. The tool returned:',
        zh: '你跳过了问题。工具返回：',
      })
      return [say(`${none} “${last.error}”`)]
    }
    const heard = inLanguage(request, { en: 'Your answer:', zh: '你的回答：' })
    const text = typeof last.output === 'string' ? last.output : JSON.stringify(last.output)
    return [say(`${heard}\n\n> ${text.replaceAll('\n', '\n> ')}`)]
  },
}

/** A read-only command runs at once. One that writes needs approval. */
export const command: Scene = {
  example: { en: 'Run two commands', zh: '运行两个命令' },
  shows: { en: 'one that runs right away, one that asks first (Bash)', zh: '哪些立即执行，哪些先询问（Bash）' },
  promise: {
    icon: 'command',
    en: 'One runs at once, the other asks you first',
    zh: '一个立即执行，另一个先征求你的同意',
  },
  matches: /\bcommands?\b|\bshell\b|\bterminal\b|\bbash\b|命令|终端/,
  tools: ['Bash'],
  play(request) {
    const { results } = request
    if (results.length === 0) {
      return [
        say(
          inLanguage(request, {
            en: 'The first only reads, so it runs without asking. ',
            zh: '第一个只是读取，所以无需询问。',
          }),
        ),
        {
          call: {
            name: 'Bash',
            input: {
              command: 'ls -la | head -5',
              description: inLanguage(request, { en: 'List the folder', zh: '列出文件夹' }),
            },
          },
        },
      ]
    }
    if (results.length === 1) {
      const next = inLanguage(request, {
        en: 'The second creates a file, so it needs your approval. ',
        zh: '第二个会创建文件，所以需要你批准。',
      })
      const input = {
        command: 'echo "made by the demo" > troupe-demo.txt',
        description: inLanguage(request, { en: 'Create troupe-demo.txt', zh: '创建 troupe-demo.txt' }),
      }
      return [say(next), { call: { name: 'Bash', input } }]
    }
    const last = results.at(-1)
    return [
      say(
        last?.error === undefined
          ? inLanguage(request, {
              en: 'Done: I created `troupe-demo.txt`. Changes made by commands can’t be undone here, but you can delete the file any time.',
              zh: '完成：已创建 `troupe-demo.txt`。命令所做的更改无法在此撤销，但你可以随时删除这个文件。',
            })
          : inLanguage(request, {
              en: `You didn’t approve, so nothing was created. The tool returned: “${last.error}”`,
              zh: `你没有批准，所以没有创建任何内容。工具返回：“${last.error}”`,
            }),
      ),
    ]
  },
}

export const plan: Scene = {
  example: { en: 'Plan a trip to Kyoto', zh: '制定一个京都旅行计划' },
  shows: { en: 'a to-do list, done step by step (TodoWrite)', zh: '逐步完成的待办清单（TodoWrite）' },
  matches: /\bplan|\btrip\b|to-?dos?\b|计划|规划|待办|旅行|行程/,
  tools: ['TodoWrite'],
  play(request) {
    const steps = planSteps(request)
    const done = request.results.length
    const last = request.results.at(-1)
    if (last?.error !== undefined) {
      const stop = inLanguage(request, { en: 'Couldn’t save the list:', zh: '无法保存清单：' })
      return [say(`${stop} ${last.error}`)]
    }
    if (done > steps.length) return [say(itinerary(request))]

    const opening =
      done === 0
        ? inLanguage(request, { en: 'Here’s what needs to be done. ', zh: '要做的事如下。' })
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
    { content: 'Choose dates', activeForm: 'Choosing dates', found: 'The second week of April is quiet.' },
    { content: `Find transport to ${place}`, activeForm: 'Finding transport', found: 'The morning train works best.' },
    {
      content: 'Plan three days',
      activeForm: 'Planning three days',
      found: 'One highlight a day, afternoons free.',
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
    en: `All done. Here’s the plan for ${place}:\n\n1. **Day one** – take the morning train, then walk along the river.\n2. **Day two** – see the old town early and a garden before noon.\n3. **Day three** – visit a market, then take the train home.\n\nThis plan is scripted, so nothing was looked up. The to-do list is real.`,
    zh: `三件事都完成了。${place}的计划：\n\n1. **第一天** – 乘上午的火车到达，沿河散步。\n2. **第二天** – 清早逛老城，中午前看一座园林。\n3. **第三天** – 逛市场，然后乘火车回家。\n\n这个计划来自脚本，并没有真的查询。上面的清单是真实的。`,
  })
}

/** Runs two agents in parallel: one reads, one asks. The demo model plays both. */
export const delegate: Scene = {
  example: { en: 'Run two agents in parallel', zh: '并行运行两个智能体' },
  shows: { en: 'sub-agents you can watch, open and stop (Task)', zh: '可以查看、打开和停止的子智能体（Task）' },
  promise: { icon: 'agents', en: 'They work side by side while you watch', zh: '它们同时工作，你可以随时查看' },
  matches: /\bagents?\b|\bdelegat|\bteam\b|智能体|委派|代理/,
  tools: ['Task'],
  play(request) {
    if (request.results.length > 0) return [say(reports(request))]
    const opening = inLanguage(request, {
      en: 'I’m starting two agents in parallel. One explores, the other needs your approval. ',
      zh: '我会并行启动两个智能体。一个负责查看，另一个需要你批准。',
    })
    const look = inLanguage(request, { en: 'Explore this folder', zh: '看看这个文件夹' })
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
  example: { en: 'Explore this folder', zh: '看看这个文件夹' },
  shows: {
    en: 'two read-only tool calls on your files (ListDir, Glob)',
    zh: '对你的文件进行两次只读工具调用（ListDir、Glob）',
  },
  promise: { icon: 'folder', en: 'Lists its files and says what it found', zh: '列出其中的文件，并说明发现了什么' },
  matches: /look around|(explore|explain) (this|the) folder|what.*(in|is) (this|the) folder|看看.*文件夹|文件夹里/,
  tools: ['ListDir', 'Glob'],
  play(request) {
    if (request.results.length === 0) {
      return [
        say(
          inLanguage(request, {
            en: 'Let me look at the folder and its Markdown files. ',
            zh: '我看看这个文件夹和其中的 Markdown 文件。',
          }),
        ),
        { call: { name: 'ListDir', input: { path: '.', depth: 1 } } },
        { call: { name: 'Glob', input: { pattern: '**/*.md' } } },
      ]
    }
    const failed = request.results.find(({ error }) => error !== undefined)
    if (failed !== undefined) return [say(failed.error as string)]
    const opening = inLanguage(request, { en: 'Here’s what I found:', zh: '我找到的内容：' })
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
    const none = inLanguage(request, { en: 'No agent could start:', zh: '没有智能体能够启动：' })
    return `${none} ${request.results[0]?.error ?? ''}`
  }
  return inLanguage(request, {
    en: 'Both agents are done. See their reports above, or open one to read its conversation and send it more instructions.',
    zh: '两个智能体都已完成。报告见上方，也可以打开其中一个，阅读它的对话或继续给它指示。',
  })
}
