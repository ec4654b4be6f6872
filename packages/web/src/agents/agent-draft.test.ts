import { expect, test } from 'vitest'
import type { AgentInfo } from '../api/session-types.ts'
import { definitionFromDraft, draftFromAgent, emptyDraft, fieldErrors, missingFields } from './agent-draft.ts'

const agent: AgentInfo = {
  name: 'reviewer',
  description: 'reviews',
  source: 'database',
  enabled: true,
  systemPrompt: 'You review.',
  languages: [],
  tools: ['Read', 'file-read'],
  allowedSubAgents: ['explore'],
  maxSteps: 20,
  params: { temperature: 0.2 },
}

test('an agent survives its form', () => {
  expect(definitionFromDraft(draftFromAgent(agent))).toEqual({
    description: 'reviews',
    systemPrompt: 'You review.',
    toolKeys: ['Read', 'file-read'],
    allowedSubAgents: ['explore'],
    model: null,
    maxDepth: null,
    maxSteps: 20,
    params: { temperature: 0.2 },
  })
})

test('an agent without model settings stores none', () => {
  expect(definitionFromDraft({ ...draftFromAgent(agent), params: {} }).params).toBeNull()
})

test('a missing list of agents is the default set, an empty one is none', () => {
  const { allowedSubAgents: _, ...open } = agent
  expect(draftFromAgent(open).delegates).toBe('default')
  expect(definitionFromDraft(draftFromAgent(open)).allowedSubAgents).toBeNull()
  expect(draftFromAgent({ ...agent, allowedSubAgents: [] }).delegates).toBe('nobody')
  expect(definitionFromDraft({ ...draftFromAgent(agent), delegates: 'nobody' }).allowedSubAgents).toEqual([])
})

test('missing fields are reported before sending', () => {
  expect(Object.keys(missingFields({ ...emptyDraft, delegates: 'some' }))).toEqual(['name', 'systemPrompt', 'allowed'])
  expect(missingFields(draftFromAgent(agent))).toEqual({})
})

test('server errors appear at their field', () => {
  const issues = ['systemPrompt: at most 64,000 characters', 'toolKeys.3: Too long', 'maxSteps: Too big', 'body: odd']
  expect(fieldErrors({ name: 'BadRequest', message: 'The body is not valid.', data: { issues } })).toEqual({
    systemPrompt: 'at most 64,000 characters',
    tools: 'Too long',
    maxSteps: 'Too big',
    form: 'odd',
  })
  const refused = (name: string, field: string) => Object.keys(fieldErrors({ name, message: 'No.', data: { field } }))
  expect(refused('AgentExists', 'name')).toEqual(['name'])
  expect(refused('InvalidAgent', 'toolKeys')).toEqual(['tools'])
  expect(fieldErrors({ name: 'Unreachable', message: 'Is it running?' })).toEqual({ form: 'Is it running?' })
})
