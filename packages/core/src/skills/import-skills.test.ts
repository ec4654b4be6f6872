import { Buffer } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { acceptSkills, dropStaged, stageSkills } from './import-skills.ts'

let base = ''
const at = (...names: string[]): string => path.join(base, ...names)
const text = '---\nname: pdf\ndescription: About PDF.\n---\nDo it.'

beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-import-')))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

interface Crafted {
  name: string
  content?: string | Uint8Array
  /** In a zip, the Unix mode with the file type. In a tar, the type. */
  mode?: number
  type?: string
  size?: number
  localName?: string
  flags?: number
  method?: number
  overlaps?: true
}

function zip(entries: Crafted[]): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  let lastOffset = 0
  for (const {
    name,
    content = '',
    mode = 0o100644,
    size,
    localName = name,
    flags = 0,
    method = content === '' ? 0 : 8,
    overlaps,
  } of entries) {
    const bytes = Buffer.from(content)
    const data = method === 8 ? deflateRawSync(bytes) : bytes
    const fields = Buffer.alloc(16)
    fields.writeUInt32LE(crc32(bytes), 4)
    fields.writeUInt32LE(data.length, 8)
    fields.writeUInt32LE(size ?? bytes.length, 12)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(method, 8)
    fields.copy(local, 14, 4)
    local.writeUInt16LE(Buffer.byteLength(localName), 26)
    const header = Buffer.alloc(46)
    header.writeUInt32LE(0x02014b50, 0)
    header.writeUInt8(3, 5)
    header.writeUInt16LE(flags, 8)
    header.writeUInt16LE(method, 10)
    fields.copy(header, 16, 4)
    header.writeUInt16LE(Buffer.byteLength(name), 28)
    header.writeUInt32LE((mode << 16) >>> 0, 38)
    header.writeUInt32LE(overlaps === true ? lastOffset : offset, 42)
    central.push(header, Buffer.from(name))
    if (overlaps === true) continue
    lastOffset = offset
    locals.push(local, Buffer.from(localName), data)
    offset += 30 + Buffer.byteLength(localName) + data.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}

function tar(entries: Crafted[]): Buffer {
  const blocks = entries.flatMap(({ name, content = '', mode = 0o644, type = '0', size }) => {
    const bytes = Buffer.from(content)
    const header = Buffer.alloc(512)
    header.write(name, 0, 100)
    header.write(mode.toString(8).padStart(7, '0'), 100)
    header.write((size ?? bytes.length).toString(8).padStart(11, '0'), 124)
    header.write('        ', 148)
    header.write(type, 156)
    header.write('target', 157)
    header.write('ustar\u000000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(sum.toString(8).padStart(6, '0'), 148)
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

const good: Crafted[] = [
  { name: 'pdf/SKILL.md', content: text },
  { name: 'pdf/scripts/run.sh', content: '#!/bin/sh\n', mode: 0o100755 },
]
const put = (name: string, bytes: string | Uint8Array): string => {
  mkdirSync(path.dirname(at(name)), { recursive: true })
  writeFileSync(at(name), bytes)
  return at(name)
}

describe('skills that are imported', () => {
  it.each([
    ['a zip', () => put('a.zip', zip(good))],
    ['a zip that is only stored', () => put('a.zip', zip(good.map((entry) => ({ ...entry, method: 0 }))))],
    ['a tar', () => put('a.tar', tar(good))],
    ['a tar.gz', () => put('a.tgz', gzipSync(tar(good)))],
  ])('from %s are previewed before they are imported', (_, make) => {
    const staged = stageSkills(make(), at('home/imports'))
    expect(staged.problems).toEqual([])
    expect(staged.skills).toMatchObject([
      {
        name: 'pdf',
        description: 'About PDF.',
        files: [
          { name: 'SKILL.md', size: text.length, executable: false },
          { name: 'scripts/run.sh', executable: true },
        ],
      },
    ])
    expect(existsSync(at('home/skills'))).toBe(false)
    expect(acceptSkills(staged, at('home/skills'))).toEqual([at('home/skills/pdf')])
    expect(readFileSync(at('home/skills/pdf/SKILL.md'), 'utf8')).toBe(text)
    expect(statSync(at('home/skills/pdf/scripts/run.sh')).mode & 0o777).toBe(0o700)
    expect(readdirSync(at('home/imports'))).toEqual([])
  })

  it('from a checkout on disk exclude git’s files, and include all skills', () => {
    put('repo/.git/config', 'x')
    put('repo/README.md', 'x')
    put('repo/skills/pdf/SKILL.md', text)
    put('repo/skills/pdf/inner/SKILL.md', 'part of it')
    put('repo/skills/odd-folder/SKILL.md', text.replace('pdf', 'web'))
    put('repo/skills/bad/SKILL.md', 'x')
    const staged = stageSkills(at('repo'), at('home/imports'))
    expect(staged.skills.map(({ name, files }) => [name, files.map((file) => file.name)])).toEqual([
      ['web', ['SKILL.md']],
      ['pdf', ['SKILL.md', 'inner/SKILL.md']],
    ])
    expect(staged.problems).toEqual([{ path: 'skills/bad/SKILL.md', message: '"name" is missing' }])
    acceptSkills(staged, at('home/skills'))
    expect(readdirSync(at('home/skills'))).toEqual(['pdf', 'web'])
  })

  it('made by the tools that people have are read', () => {
    put('made/pdf/SKILL.md', text)
    put(`made/pdf/${'long-name/'.repeat(13)}file.txt`, 'x')
    execFileSync('tar', ['-czf', at('a.tar.gz'), '-C', at('made'), '.'])
    const staged = stageSkills(at('a.tar.gz'), at('home/imports'))
    expect(staged.skills[0]?.files).toHaveLength(2)
    execFileSync('tar', ['--format=pax', '-cf', at('b.tar'), '-C', at('made'), 'pdf'])
    expect(stageSkills(at('b.tar'), at('home/imports')).skills[0]?.files).toHaveLength(2)
  })

  it('from a repository exclude other files, and an invalid skill does not block the others', () => {
    put('repo/AGENTS.md', 'x')
    symlinkSync('AGENTS.md', at('repo/CLAUDE.md'))
    put('repo/node_modules/x/SKILL.md', text)
    put('repo/skills/pdf/SKILL.md', text)
    put('repo/skills/pdf/docs/one.md', 'one')
    symlinkSync('docs/one.md', at('repo/skills/pdf/two.md'))
    put('repo/skills/leaky/SKILL.md', text.replace('pdf', 'leaky'))
    symlinkSync('/etc/passwd', at('repo/skills/leaky/passwd'))
    symlinkSync('../pdf/SKILL.md', at('repo/skills/leaky/other.md'))
    put('repo/skills/mine/SKILL.md', text.replace('pdf', 'mine'))
    put('repo/skills/wordy/SKILL.md', text.replace('pdf', 'wordy').replace('About PDF.', 'word '.repeat(300)))
    put('home/skills/mine/SKILL.md', 'mine')
    for (const source of [at('repo'), at('repo.tar')]) {
      if (source.endsWith('.tar')) execFileSync('tar', ['-cf', source, '-C', at('repo'), '--exclude=node_modules', '.'])
      const staged = stageSkills(source, at('home/imports'), at('home/skills'))
      expect(staged.skills.map(({ name }) => name).toSorted()).toEqual(['pdf', 'wordy'])
      expect(staged.problems.map((problem) => `${problem.path} ${problem.message}`).toSorted()).toEqual([
        expect.stringMatching(/^skills\/leaky\/SKILL.md "(passwd|other.md)" links to something other/),
        'skills/mine/SKILL.md a skill "mine" already exists and is kept',
        'skills/wordy/SKILL.md the description has 1499 characters; agents only see the first 1024',
      ])
      acceptSkills(staged, at('home/skills'))
      expect(readFileSync(at('home/skills/pdf/two.md'), 'utf8')).toBe('one')
      expect(readFileSync(at('home/skills/mine/SKILL.md'), 'utf8')).toBe('mine')
      rmSync(at('home/skills/pdf'), { recursive: true })
      rmSync(at('home/skills/wordy'), { recursive: true })
    }
  })

  it('at the top of an archive are named by their name field', () => {
    const staged = stageSkills(put('a.zip', zip([{ name: 'SKILL.md', content: text }])), at('home/imports'))
    expect(acceptSkills(staged, at('home/skills'))).toEqual([at('home/skills/pdf')])
  })

  it('never replace an existing one', () => {
    put('home/skills/pdf/SKILL.md', 'mine')
    const staged = stageSkills(put('a.zip', zip(good)), at('home/imports'))
    expect(() => acceptSkills(staged, at('home/skills'))).toThrow('There is nothing to import')
    dropStaged(staged)
    expect(readFileSync(at('home/skills/pdf/SKILL.md'), 'utf8')).toBe('mine')
  })
})

describe('a crafted archive leaves nothing outside the new folder, nor in it', () => {
  const zeros = new Uint8Array(8 * 1024 * 1024)
  const crafted: [string, () => Uint8Array, string][] = [
    ['zip: a name that climbs', () => zip([{ name: '../evil', content: 'x' }]), 'points outside the folder'],
    ['zip: a name that climbs later', () => zip([{ name: 'a/../../evil', content: 'x' }]), 'points outside the folder'],
    ['zip: an absolute name', () => zip([{ name: '/tmp/evil', content: 'x' }]), 'is an absolute path'],
    ['zip: a name with a drive', () => zip([{ name: 'C:/evil', content: 'x' }]), 'is an absolute path'],
    ['zip: backslashes', () => zip([{ name: '..\\evil', content: 'x' }]), 'has an invalid character in its name'],
    [
      'zip: a zero in a name',
      () => zip([{ name: 'a\0/../evil', content: 'x' }]),
      'has an invalid character in its name',
    ],
    ['zip: two names for one entry', () => zip([{ name: 'a', localName: '../a', content: 'x' }]), 'has two names'],
    ['zip: an encrypted file', () => zip([{ name: 'a', content: 'x', flags: 1 }]), 'is encrypted'],
    [
      'zip: packed in an unknown way',
      () => zip([{ name: 'a', content: 'x', method: 99 }]),
      'uses an unsupported compression',
    ],
    [
      'zip: a file over another',
      () =>
        zip([
          { name: 'a', content: 'x' },
          { name: 'a', overlaps: true, content: 'x' },
        ]),
      'overlaps another',
    ],
    [
      'zip: a bomb',
      () => zip(Array.from({ length: 5 }, (_, i) => ({ name: `${i}`, content: zeros }))),
      'far larger than the archive',
    ],
    [
      'zip: a bomb that lies about its size',
      () => zip([{ name: 'SKILL.md', content: zeros, size: 10 }]),
      'could not be unpacked',
    ],
    [
      'zip: too many entries',
      () => zip(Array.from({ length: 20_001 }, (_, i) => ({ name: `${i}` }))),
      'more than 20000 entries',
    ],
    [
      'zip: names that are one on other systems',
      () =>
        zip([
          { name: 'A/x', content: 'x' },
          { name: 'a/X', content: 'y' },
        ]),
      'appears twice',
    ],
    [
      'zip: a file in a file',
      () =>
        zip([
          { name: 'a', content: 'x' },
          { name: 'a/b', content: 'x' },
        ]),
      'is inside a file',
    ],
    ['zip: cut short', () => zip(good).subarray(0, 60), 'The zip file is damaged'],
    [
      'zip: a wrong checksum',
      () =>
        Buffer.from(
          zip([{ name: 'SKILL.md', content: 'hello', method: 0 }])
            .toString('latin1')
            .replace('hello', 'jello'),
          'latin1',
        ),
      'does not match its entry in the zip',
    ],
    ['tar: a name that climbs', () => tar([{ name: '../evil', content: 'x' }]), 'points outside the folder'],
    ['tar: an absolute name', () => tar([{ name: '/tmp/evil', content: 'x' }]), 'is an absolute path'],
    [
      'tar: a link to a name',
      () =>
        tar([
          { name: 'l', type: '2' },
          { name: 'l/evil', content: 'x' },
        ]),
      'is inside a file',
    ],
    [
      'tar: a long name that climbs',
      () =>
        tar([
          { name: '././@LongLink', type: 'L', content: '../evil\0' },
          { name: 'a', content: 'x' },
        ]),
      'points outside the folder',
    ],
    [
      'tar: a pax name that climbs',
      () =>
        tar([
          { name: 'h', type: 'x', content: '16 path=../evil\n' },
          { name: 'a', content: 'x' },
        ]),
      'points outside the folder',
    ],
    ['tar: a size beyond its end', () => tar([{ name: 'a', size: 8 ** 10 }]), 'it ends too early'],
    ['tar.gz: a bomb', () => gzipSync(Buffer.alloc(200 * 1024 * 1024)), 'far larger than the archive'],
    ['neither', () => Buffer.from('hello world'.repeat(100)), 'This is not a supported archive'],
    ['nothing', () => Buffer.alloc(0), ''],
  ]

  it.each(crafted)('%s', (_, make, message) => {
    const file = put('source/crafted', make())
    const stage = (): unknown => stageSkills(file, at('home/imports'))
    if (message === '') expect(stage()).toMatchObject({ skills: [], problems: [{ message: 'it has no SKILL.md' }] })
    else expect(stage).toThrow(message)
    const left = readdirSync(base, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !name.startsWith('home/imports/import-'),
    )
    expect(left.toSorted().filter((name) => name !== 'home/imports' && name !== 'home')).toEqual([
      'source',
      'source/crafted',
    ])
    if (message !== '' && existsSync(at('home/imports'))) expect(readdirSync(at('home/imports'))).toEqual([])
  })

  const skill = { name: 'pdf/SKILL.md', content: text }
  const other = { name: 'web/SKILL.md', content: text.replace('pdf', 'web') }
  it.each<[string, () => Uint8Array, string]>([
    ['zip: a link', () => zip([skill, { name: 'pdf/l', content: '/etc', mode: 0o120777 }, other]), '"l" links to'],
    [
      'zip: a climbing link',
      () => zip([skill, { name: 'pdf/l', content: '../web/SKILL.md', mode: 0o120777 }, other]),
      '"l" links to',
    ],
    ['zip: a device', () => zip([skill, { name: 'pdf/d', mode: 0o060644 }, other]), '"d" is a device'],
    [
      'zip: a file that is too large',
      () => zip([skill, { name: 'pdf/a', content: new Uint8Array(11 << 20), method: 0 }, other]),
      'is larger than 10 MiB',
    ],
    ['tar: a link', () => tar([skill, { name: 'pdf/l', type: '2' }, other]), '"l" links to'],
    ['tar: a hard link', () => tar([skill, { name: 'pdf/l', type: '1' }, other]), '"l" links to'],
    ['tar: a device', () => tar([skill, { name: 'pdf/d', type: '3' }, other]), '"d" is a device'],
    ['tar: a pipe', () => tar([skill, { name: 'pdf/p', type: '6' }, other]), '"p" is a device'],
  ])('%s in a skill skips that skill, and leaves nothing behind', (_, make, message) => {
    const staged = stageSkills(put('source/crafted', make()), at('home/imports'))
    expect(staged.skills.map(({ name }) => name)).toEqual(['web'])
    expect(staged.problems).toEqual([{ path: 'pdf/SKILL.md', message: expect.stringContaining(message) as string }])
    expect(existsSync(path.join(staged.folder, 'pdf'))).toBe(false)
    acceptSkills(staged, at('home/skills'))
    expect(readdirSync(at('home/skills'))).toEqual(['web'])
  })
})
