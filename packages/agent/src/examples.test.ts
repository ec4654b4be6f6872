import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { main as acceptedAnswers } from '../examples/accepted-answers.ts'
import { main as approval } from '../examples/approval.ts'
import { main as autoFunc } from '../examples/auto-func.ts'
import { main as chatSession } from '../examples/chat-session.ts'
import { main as externalPlanning } from '../examples/external-planning.ts'
import { main as firstTurn } from '../examples/first-turn.ts'
import { main as keys } from '../examples/keys.ts'
import { main as pipeline } from '../examples/pipeline.ts'
import { main as promptFile } from '../examples/prompt-file.ts'
import { main as structuredAnswer } from '../examples/structured-answer.ts'
import { main as tools } from '../examples/tools.ts'

const folder = path.join(import.meta.dirname, '..', 'examples')

type Print = (...values: unknown[]) => void

const printed = async (main: (print: Print) => Promise<unknown>): Promise<string[]> => {
  const lines: string[] = []
  await main((...values) => void lines.push(values.join(' ')))
  return lines
}

describe('the examples', () => {
  it('are eleven, and the README names each', () => {
    const names = readdirSync(folder).filter((name) => name.endsWith('.ts'))
    const readme = readFileSync(path.join(folder, 'README.md'), 'utf8')
    expect(names).toHaveLength(11)
    for (const name of names) expect(readme).toContain(`| \`${name}\``)
  })

  it('first-turn streams a text', async () => {
    const lines = await printed(firstTurn)
    expect(lines.at(-2)).toBe('Slack water is the short rest between two tides.')
    expect(lines.filter((line) => line.startsWith('…'))).toHaveLength(6)
  })

  it('approval asks once and runs twice', async () => {
    expect(await printed(approval)).toEqual([
      'asked: sendMail {"to":"ann@example.org","text":"The ship is late."}',
      'sent to ann@example.org',
      'sent to bob@example.org',
      'Both know now.',
    ])
  })

  it('structured-answer shows values as they grow', async () => {
    const lines = await printed(structuredAnswer)
    expect(lines).toContain('title is complete (observed)')
    expect(lines.filter((line) => line.startsWith('minutes +'))).toEqual(['minutes + "25"'])
    expect(lines.at(-1)).toBe('Flat bread: 2 steps, 25 minutes')
  })

  it('keys waits, handles and ends early', async () => {
    expect(await printed(keys)).toEqual([
      'Two finds',
      'items[0].title Amber',
      'items[1].title Flint',
      'closing That was all.',
      'items[0] 0: Amber 95 %',
      'items[1] 1: Flint 50 %',
      'Amber',
      'ended early',
    ])
  })

  it('pipeline does its work while the answer continues', async () => {
    // A stall of the machine can hit either of the two.
    const saved = async () => {
      const { after, along } = await pipeline(() => undefined, { delayMs: 2, paintMs: 100 })
      return after - along
    }
    await expect.poll(saved, { timeout: 25_000 }).toBeGreaterThan(0.05)
  })

  it('accepted-answers is accepted at the fourth attempt', async () => {
    const lines = await printed(acceptedAnswers)
    expect(lines.slice(0, -1).map((line) => line.split(',')[0])).toEqual(['attempt 2', 'attempt 3', 'attempt 4'])
    expect(lines.at(-1)).toBe('accepted after 4 attempts: Tides, https://sea.test')
  })

  it('tools are called by the model', async () => {
    expect((await printed(tools)).slice(2)).toEqual([
      'High water at 14:10, a light wind.',
      '2 calls; tools: tide, wind',
      '2 Bft at Roscoff',
    ])
  })

  it('external-planning makes two requests per turn', async () => {
    expect((await printed(externalPlanning)).at(-1)).toBe('You are welcome. (0 calls, 4 requests in all)')
  })

  it('auto-func gives a number and an object', async () => {
    expect(await printed(autoFunc)).toEqual(['3 ships', 'calm', 'still, grey'])
  })

  it('prompt-file loads, validates and round-trips', async () => {
    const lines = await printed(promptFile)
    expect(lines[0]).toContain('[USER INFO]:\nname: Ana')
    expect(lines[1]).toContain('after 2 attempts')
    expect(lines[2]).toContain('season: Literal[spring, summer, autumn, winter]')
  })

  it('chat-session keeps two conversations apart', async () => {
    expect(await printed(chatSession)).toEqual([
      'first user Who are you?',
      'first assistant Reply 1.',
      'first user And who am I?',
      'first assistant Reply 2.',
      'second user Hello?',
      'second assistant Reply 3.',
    ])
  })
})
