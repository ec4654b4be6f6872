import type { DemoRequest, ToolResult } from './request.ts'
import { inLanguage, say } from './scene.ts'
import type { Scene } from './scene.ts'

/** Two agents side by side: one looks, one asks. Both are played by the demo as well. */
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

/** What the exploring agent does; a person may ask for it too. */
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
