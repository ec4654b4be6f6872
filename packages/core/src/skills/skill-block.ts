import path from 'node:path'
import { wrapBlock } from '../run/wrap-block.ts'

/** A skill as a model is told it. Without a text: it has been told before in this conversation. */
export function skillBlock(skill: { name: string; path: string; content: string }): string {
  const { name, content } = skill
  const folder = path.dirname(skill.path)
  const body = content === '' ? 'This skill was loaded before, see above.' : content
  return wrapBlock('skill', { name, path: skill.path, folder }, body)
}
