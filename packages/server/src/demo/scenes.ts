import type { ScriptTurn } from '@troupe/core/testing'
import { app, chart, diagram, form, page, picture, report } from './preview-scenes.ts'
import { type DemoRequest, inLanguage, type Language, say, type Scene } from './scene.ts'
import { count, longAnswer, markdown, repeat, summary, think } from './talk-scenes.ts'
import { command, delegate, lookAround, plan, question } from './task-scenes.ts'
import { approval, failingTool, manyCalls, time } from './tool-scenes.ts'

const hello: Scene = {
  example: { en: 'Hello', zh: '你好' },
  shows: { en: 'what the demo can do', zh: '演示能做什么' },
  matches:
    /^\W*(hi|hello|hey|good (morning|evening|day)|help|start|tour|demo)\b|what can you|who are you|^\s*(你好|您好|嗨|帮助|开始|演示)|你能做什么|你会什么|你是谁/,
  // `troupe -p hello` is a common first impression, so the greeting is fast.
  play: (request) => [say(greeting(request), { wordMs: 10, totalMs: 60 })],
}

/** In matching order. `repeat` comes first, since its text may mention any other scene. */
const scenes: Scene[] = [
  repeat,
  delegate,
  lookAround,
  question,
  app,
  diagram,
  chart,
  form,
  report,
  picture,
  page,
  command,
  failingTool,
  manyCalls,
  approval,
  summary,
  plan,
  count,
  think,
  markdown,
  longAnswer,
  time,
  hello,
]

const tour = [
  hello,
  time,
  plan,
  delegate,
  command,
  question,
  chart,
  form,
  report,
  app,
  diagram,
  picture,
  page,
  approval,
  lookAround,
  failingTool,
  think,
  longAnswer,
  markdown,
  manyCalls,
  count,
  repeat,
  summary,
]

export const examples: Record<Language, string[]> = {
  en: tour.map(({ example }) => example.en),
  zh: tour.map(({ example }) => example.zh),
}

/** The first screen's examples, with an icon and a line about what happens. */
export function suggestions(language: Language): { text: string; detail: string; icon: string }[] {
  return [lookAround, command, delegate, chart].flatMap(({ example, promise }) =>
    promise === undefined ? [] : [{ text: example[language], detail: promise[language], icon: promise.icon }],
  )
}

export function nextTurn(request: DemoRequest): ScriptTurn {
  const scene = findScene(request.text)
  if (!scene) return [say(fallback(request))]
  const missing = scene.tools?.filter((tool) => !request.tools.has(tool)) ?? []
  if (missing.length > 0) return [say(missingTools(request, missing))]
  return scene.play(request)
}

export function findScene(text: string): Scene | undefined {
  const lower = text.toLowerCase()
  return scenes.find(({ matches }) => matches.test(lower))
}

function greeting(request: DemoRequest): string {
  const opening = inLanguage(request, {
    en: 'Hello! I’m the **demo model**: a script, not an AI. My tools are real. Try one of these:',
    zh: '你好！我是**演示模型**：一段脚本，不是 AI。我的工具是真实的。可以试试这些：',
  })
  const ending = inLanguage(request, {
    en: 'For real answers, connect a model from a provider or run one on this computer.',
    zh: '想要真正的回答，请连接提供商的模型，或在本机运行模型。',
  })
  return [opening, '', ...list(request), '', ending].join('\n')
}

function fallback(request: DemoRequest): string {
  const opening = inLanguage(request, {
    en: 'I’m a script, not an AI, and I don’t know this request. Try one of these:',
    zh: '我是一段脚本，不是 AI，不认识这个请求。可以试试这些：',
  })
  return [opening, '', ...list(request)].join('\n')
}

function list({ language }: DemoRequest): string[] {
  return tour
    .filter((scene) => scene !== hello)
    .map(({ example, shows }) => `- *${example[language]}* – ${shows[language]}`)
}

function missingTools(request: DemoRequest, missing: string[]): string {
  const names = missing.map((name) => `\`${name}\``).join(', ')
  return inLanguage(request, {
    en: `This demo needs the tool ${names}, which isn’t available in this chat.`,
    zh: `此演示需要工具 ${names}，但本会话没有提供它。`,
  })
}
