import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createProjectConfigs, openConfig } from '../config/config.ts'
import { openRuleLayers, type PolicyWorkspace, type RuleLayers } from './rule-layers.ts'

let folder: string
let home: string
let workspace: PolicyWorkspace
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-layers-'))
  home = path.join(folder, 'home')
  workspace = { path: path.join(folder, 'work'), trusted: true }
  for (const one of [home, path.join(workspace.path, '.troupe'), path.join(folder, 'etc')])
    mkdirSync(one, { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true }))

const file = {
  managed: () => path.join(folder, 'etc', 'config.json'),
  user: () => path.join(home, 'config.json'),
  project: () => path.join(workspace.path, '.troupe', 'config.json'),
  remembered: () => path.join(home, 'rules.json'),
}
const write = (name: string, content: unknown): void =>
  writeFileSync(name, typeof content === 'string' ? content : JSON.stringify(content))
const open = (allowBypass = false): RuleLayers =>
  openRuleLayers({
    home,
    personHome: '/home/me',
    config: openConfig({ path: home }),
    projects: createProjectConfigs(),
    managedFile: file.managed(),
    allowBypass,
  })
const texts = (layers: RuleLayers, place = workspace): string[] =>
  layers.rules(place).map(({ text, effect, layer }) => `${layer} ${effect} ${text}`)

describe('the layers of rules', () => {
  it('are read from their files, with their editability and base paths', () => {
    write(file.managed(), { permissions: { deny: ['Read(~/.ssh/**)'] } })
    write(file.user(), { permissions: { allow: ['Bash(ls *)'], ask: ['WebFetch'] } })
    write(file.project(), { permissions: { allow: ['Bash(make)'] } })
    write(file.remembered(), { [workspace.path]: { allow: ['Edit(/src/**)'] }, '/elsewhere': { allow: ['Bash'] } })
    const layers = open()
    expect(layers.rules(workspace)).toEqual([
      {
        text: 'Read(~/.ssh/**)',
        effect: 'deny',
        layer: 'managed',
        base: '/home/me',
        file: file.managed(),
        editable: false,
      },
      { text: 'WebFetch', effect: 'ask', layer: 'user', base: '/home/me', file: file.user(), editable: true },
      { text: 'Bash(ls *)', effect: 'allow', layer: 'user', base: '/home/me', file: file.user(), editable: true },
      {
        text: 'Bash(make)',
        effect: 'allow',
        layer: 'project',
        base: workspace.path,
        file: file.project(),
        editable: false,
      },
      {
        text: 'Edit(/src/**)',
        effect: 'allow',
        layer: 'project',
        base: workspace.path,
        file: file.remembered(),
        editable: true,
      },
    ])
    expect(layers.warnings(workspace)).toEqual([])
  })

  it('of a project apply only if it is trusted', () => {
    write(file.project(), { permissions: { allow: ['Bash'], mode: 'accept-edits' } })
    const layers = open()
    const untrusted = { ...workspace, trusted: false }
    expect(layers.rules(untrusted)).toEqual([])
    expect(layers.mode(untrusted)).toBe('default')
    expect(layers.warnings(untrusted)).toEqual([expect.stringContaining('They apply once you trust the folder')])
    expect(texts(layers)).toEqual(['project allow Bash'])
    expect(layers.mode(workspace)).toBe('accept-edits')
  })

  it('are reread when their files change', async () => {
    const layers = open()
    expect(texts(layers)).toEqual([])
    write(file.user(), { permissions: { allow: ['Bash(one)'] } })
    await nextTurn()
    expect(texts(layers)).toEqual(['user allow Bash(one)'])
    write(file.remembered(), { [workspace.path]: { deny: ['Bash(two)'] } })
    expect(texts(layers)).toEqual(['user allow Bash(one)', 'project deny Bash(two)'])
    write(file.project(), { permissions: { ask: ['Bash(three)'] } })
    expect(texts(layers)).toContain('project ask Bash(three)')
    rmSync(file.user())
    await nextTurn()
    expect(texts(layers)).toEqual(['project ask Bash(three)', 'project deny Bash(two)'])
  })

  it('of an invalid file stay as before, with a warning', () => {
    write(file.managed(), { permissions: { deny: ['Bash(a)'] } })
    write(file.user(), { permissions: { deny: ['Bash(b)'] } })
    write(file.project(), { permissions: { deny: ['Bash(c)'] } })
    write(file.remembered(), { [workspace.path]: { deny: ['Bash(d)'] } })
    const layers = open()
    const before = texts(layers)
    expect(before).toHaveLength(4)
    write(file.managed(), '{')
    write(file.user(), '{"permissions": {"deny": "Bash(b)"}}')
    write(file.project(), '')
    write(file.remembered(), '[]')
    expect(texts(layers)).toEqual(before)
    const warnings = layers.warnings(workspace)
    expect(warnings).toHaveLength(3)
    expect(warnings.every((text) => text.includes('Its previous rules still apply'))).toBe(true)
    expect(layers.unreadable(workspace)).toBeUndefined()
    write(file.remembered(), {})
    expect(texts(layers)).toEqual(before.slice(0, 3))
  })

  it('that were never readable do not count as empty', () => {
    write(file.project(), '{')
    const layers = open()
    expect(layers.unreadable(workspace)).toContain(file.project())
    expect(layers.unreadable({ ...workspace, trusted: false })).toBeUndefined()
    expect(layers.warnings(workspace)[0]).toContain('everything needs approval')
    write(file.project(), {})
    expect(layers.unreadable(workspace)).toBeUndefined()
    write(file.remembered(), '{')
    expect(open).toThrow(expect.objectContaining({ name: 'BadConfig' }))
    rmSync(file.remembered())
    mkdirSync(file.managed())
    expect(open).toThrow(expect.objectContaining({ name: 'BadConfig', message: expect.stringContaining('not a file') }))
  })

  it('are changed in the file of their scope, and everything else in it is kept', async () => {
    write(file.user(), { model: 'a/b', permissions: { mode: 'plan', allow: ['Bash(one)'], other: 1 } })
    write(file.remembered(), { '/elsewhere': { allow: ['Bash'] } })
    const layers = open()
    await layers.change({ workspace, scope: 'always' }, ({ allow = [] }) => ({ allow: [...allow, 'Bash(two)'] }))
    await layers.change({ workspace, scope: 'project' }, ({ deny = [] }) => ({ deny: [...deny, 'Read(.env)'] }))
    expect(JSON.parse(readFileSync(file.user(), 'utf8'))).toEqual({
      model: 'a/b',
      permissions: { mode: 'plan', allow: ['Bash(one)', 'Bash(two)'], other: 1 },
    })
    expect(JSON.parse(readFileSync(file.remembered(), 'utf8'))).toEqual({
      '/elsewhere': { allow: ['Bash'] },
      [workspace.path]: { deny: ['Read(.env)'] },
    })
    expect(statSync(file.remembered()).mode & 0o077).toBe(0)
    expect(texts(layers)).toEqual(['user allow Bash(one)', 'user allow Bash(two)', 'project deny Read(.env)'])
    write(file.remembered(), '{')
    await expect(layers.change({ workspace, scope: 'project' }, () => ({}))).rejects.toMatchObject({
      name: 'BadConfig',
    })
    expect(readFileSync(file.remembered(), 'utf8')).toBe('{')
  })

  it('define the mode of new sessions: the machine, then the project, then the user', async () => {
    const layers = open()
    expect(layers.mode(workspace)).toBe('default')
    write(file.user(), { permissions: { mode: 'accept-edits' } })
    await nextTurn()
    expect(layers.mode(workspace)).toBe('accept-edits')
    write(file.project(), { permissions: { mode: 'plan' } })
    expect(layers.mode(workspace)).toBe('plan')
    write(file.managed(), { permissions: { mode: 'default' } })
    expect(layers.mode(workspace)).toBe('default')
  })

  it('reject an unknown mode, bypass unless it was allowed, and bypass from a project', () => {
    write(file.user(), { permissions: { mode: 'yolo' } })
    write(file.project(), { permissions: { mode: 'bypass' } })
    expect(open().mode(workspace)).toBe('default')
    expect(open().warnings(workspace)).toEqual([
      expect.stringContaining('"yolo" is not one of default, accept-edits, plan, bypass'),
      expect.stringContaining('"bypass" cannot be set by a project'),
    ])
    expect(open(true).mode(workspace)).toBe('default')
    write(file.user(), { permissions: { mode: 'bypass' } })
    expect(open().mode(workspace)).toBe('default')
    expect(open().warnings(workspace)[0]).toContain('--allow-bypass')
    expect(open(true).mode(workspace)).toBe('bypass')
  })
})
