import { expect, test } from 'vitest'
import { createSeatbelt, seatbeltProfile } from './seatbelt.ts'

// There is no macOS here, so this tests the profile given to sandbox-exec, not its effect.
const options = {
  program: '/usr/bin/sandbox-exec',
  home: '/Users/me',
  troupeHome: '/Users/me/.troupe',
  toolFolders: ['/Users/me/.nvm'],
}
const start = {
  argv: ['/bin/bash', '-c', 'true'],
  cwd: '/Users/me/my "project"',
  env: { PATH: '/usr/bin' },
  roots: ['/Users/me/my "project"'],
  readable: ['/Users/me/.troupe/sessions/s/output'],
  secrets: ['/Users/me/my "project"/.env'],
  temporary: '/private/var/folders/x/troupe-tmp',
}

function rules(confinement: 'workspace' | 'read-only', more: object = {}): string[] {
  const { profile, places } = seatbeltProfile(options, { ...start, confinement, ...more })
  const named = profile.replaceAll(/\(param "P(\d+)"\)/g, (_, i: string) => JSON.stringify(places[Number(i)]))
  return named.replaceAll(/\n\s+/g, ' ').split('\n')
}

test('only named paths are allowed, and never the network', () => {
  const lines = rules('workspace')
  expect(lines.slice(0, 2)).toEqual(['(version 1)', '(deny default)'])
  expect(lines.at(-1)).toBe('(deny network*)')
  expect(lines.join('\n')).not.toMatch(/allow network|allow default|allow file-write\* \(subpath "\/"\)/)
})

test('the workspace can be written, or only read', () => {
  const writes = (lines: string[]): string[] =>
    lines.filter((line) => /^\(allow file(-read\*)? ?file-write\*|^\(allow file-write\* \(subpath/.test(line))
  expect(rules('workspace')).toContain(String.raw`(allow file-write* (subpath "/Users/me/my \"project\""))`)
  expect(writes(rules('read-only')).join()).not.toContain('project')
  expect(rules('read-only')).toContain('(allow file-read* file-write* (subpath "/private/var/folders/x/troupe-tmp"))')
})

test('later rules win: secrets and protected paths come after the workspace', () => {
  const lines = rules('workspace')
  const at = (part: string): number => lines.findIndex((line) => line.includes(part))
  const allowed = at(String.raw`(allow file-write* (subpath "/Users/me/my \"project\"")`)
  for (const name of ['.git/hooks', '.git/config', '.troupe', '.mcp.json', '.vscode', '.envrc', '.bashrc'])
    expect(
      lines.find((line, i) => i > allowed && line.startsWith('(deny file-write*') && line.includes(`/${name}"`)),
    ).toBeDefined()
  expect(at('/.env"))')).toBeGreaterThan(allowed)
  expect(at('"/Users/me/.ssh"')).toBeGreaterThan(at('"/Users/me/.nvm"'))
  expect(at('/sessions/s/output')).toBeGreaterThan(at('(subpath "/Users/me/.troupe")'))
})

test('granted paths are not hidden', () => {
  const lines = rules('workspace', {
    grants: [
      { how: 'read', path: '/Users/me/.ssh/config' },
      { how: 'list', path: '/Users/me/music' },
    ],
  })
  const at = (part: string): number => lines.findLastIndex((line) => line.includes(part))
  expect(lines[at('"/Users/me/.ssh/config"')]).toMatch(/^\(allow file-read\*/)
  expect(at('"/Users/me/.ssh/config"')).toBeGreaterThan(at('"/Users/me/.ssh")'))
  expect(lines[at('"/Users/me/music"')]).toContain('(vnode-type DIRECTORY)')
  expect(lines.filter((line) => line.startsWith('(allow file-write*')).join()).not.toMatch(/config|music/)
})

test('paths are parameters of the rules, so that no name can change the rules', async () => {
  const { file, args, env, cwd } = await createSeatbelt(options).wrap({ ...start, confinement: 'workspace' })
  expect({ file, cwd }).toEqual({ file: '/usr/bin/sandbox-exec', cwd: start.cwd })
  expect(args).toContain('P1=/Users/me/my "project"')
  const profile = args[args.indexOf('-p') + 1]!
  expect(profile).not.toContain('project')
  expect(args.slice(-3)).toEqual(['/bin/bash', '-c', 'true'])
  expect(env).toEqual({ PATH: '/usr/bin', TMPDIR: '/private/var/folders/x/troupe-tmp' })
})
