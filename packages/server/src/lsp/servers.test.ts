import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type CodeIntelligence, findSandbox, type Workspace } from '@troupe/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Lsp, openLsp } from './open-lsp.ts'
import { foundServers } from './server-definition.ts'

interface Sample {
  title: string
  files: Record<string, string>
  /** The file that uses `greet`, and the one that defines it, with the line. */
  use: string
  definition: [file: string, line: number]
  hover: RegExp
  /** The problem in `use`. */
  problem: RegExp
  /** A text of `use` with another problem. */
  after: [text: string, problem: RegExp]
}

const samples: Sample[] = [
  {
    title: 'Python',
    files: {
      'pyproject.toml': '[project]\nname = "x"\nversion = "0"\n',
      'lib.py': 'def greet(name: str) -> str:\n    return "hi " + name\n',
      'main.py': 'from lib import greet\n\nwrong: int = greet("a")\n',
    },
    use: 'main.py',
    definition: ['lib.py', 1],
    hover: /greet\(name: str\) -> str/,
    problem: /main\.py:3:\d+ error: .*int/s,
    after: ['from lib import greet\n\nright: str = greet(1)\n', /main\.py:3:\d+ error/],
  },
  {
    title: 'Go',
    files: {
      'go.mod': 'module example.org/x\n\ngo 1.19\n',
      'lib.go': 'package main\n\n// greet says hi.\nfunc greet(name string) string { return "hi " + name }\n',
      'main.go': 'package main\n\nfunc main() {\n\tvar wrong int = greet("a")\n\t_ = wrong\n}\n',
    },
    use: 'main.go',
    definition: ['lib.go', 4],
    hover: /func greet\(name string\) string/,
    problem: /main\.go:4:\d+ error: .*cannot use greet/s,
    after: ['package main\n\nfunc main() {\n\tvar right string = greet(1)\n\t_ = right\n}\n', /main\.go:4:\d+ error/],
  },
  {
    title: 'Rust',
    files: {
      'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': 'pub fn greet(name: &str) -> String {\n    format!("hi {name}")\n}\n',
      'src/main.rs': 'use x::greet;\n\nfn main() {\n    let _ = greet("a");\n    let wrong = \n}\n',
    },
    use: 'src/main.rs',
    definition: ['src/lib.rs', 1],
    hover: /pub fn greet\(name: &str\) -> String/,
    problem: /src\/main\.rs:\d+:\d+ error/,
    after: [
      'use x::greet;\n\nfn main() {\n    let _ = greet("a")\n    let other = 1;\n}\n',
      /src\/main\.rs:\d+:\d+ error/,
    ],
  },
  {
    title: 'C and C++',
    files: {
      'compile_flags.txt': '-Wall\n',
      'lib.h': 'const char *greet(const char *name);\n',
      'lib.c': '#include "lib.h"\n\nconst char *greet(const char *name) { return name; }\n',
      'main.c': '#include "lib.h"\n\nint main(void) {\n  greet("a");\n  int wrong = none;\n  return wrong;\n}\n',
    },
    use: 'main.c',
    definition: ['lib.h', 1],
    hover: /const char \*greet\(const char \*name\)/,
    problem: /main\.c:5:\d+ error: .*none/s,
    after: ['#include "lib.h"\n\nint main(void) {\n  return greet();\n}\n', /main\.c:4:\d+ error/],
  },
]

const finding = await findSandbox()
const found = new Set(foundServers(tmpdir(), process.env))
const { signal } = new AbortController()

describe.each(samples)('the language server for $title', (sample) => {
  const missing = !found.has(sample.title)
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-servers-')))
  const workspace = { id: 'w_1', path: folder, trusted: true } as Workspace
  let lsp: Lsp
  beforeAll(() => {
    for (const [name, text] of Object.entries(sample.files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      writeFileSync(path.join(folder, name), text)
    }
    lsp = openLsp({
      env: process.env,
      logger: () => undefined,
      settings: () => ({}),
      sandbox: finding.sandbox,
      // A cold server on a busy machine takes longer than a tool result would wait.
      afterEditMs: 20_000,
    })
  })
  afterAll(async () => {
    await lsp.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it.skipIf(missing)(
    `answers in the sandbox${missing ? ': skipped, because it is not installed' : ''}`,
    async () => {
      const { ask, problemsAfter } = lsp.of(workspace) as CodeIntelligence
      const use = path.join(folder, sample.use)
      const [file, line] = sample.definition
      const settled = async (question: Parameters<typeof ask>[0], wanted: RegExp): Promise<string> => {
        let text = ''
        // A server may answer before it has loaded the project.
        await expect
          .poll(async () => (text = (await ask(question, { signal })).text), { timeout: 25_000, interval: 200 })
          .toMatch(wanted)
        return text
      }
      await settled({ action: 'diagnostics', path: use }, sample.problem)
      await settled({ action: 'definition', path: use, symbol: 'greet' }, new RegExp(`^${file}:${line}`))
      await settled({ action: 'hover', path: use, symbol: 'greet' }, sample.hover)
      const uses = await settled({ action: 'references', path: path.join(folder, file), symbol: 'greet' }, /main/)
      expect(uses).toContain(file)
      expect((await ask({ action: 'symbols', path: path.join(folder, file) }, { signal })).text).toContain('greet')
      await settled({ action: 'symbols', symbol: 'greet' }, /greet/)
      writeFileSync(use, sample.after[0])
      expect(await problemsAfter([use], signal)).toMatch(sample.after[1])
    },
    120_000,
  )
})

it('the language server for Go is used only where Go is installed', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-programs-'))
  const add = (name: string): void => writeFileSync(path.join(folder, name), '#!/bin/sh\n', { mode: 0o755 })
  add('gopls')
  expect(foundServers(tmpdir(), { PATH: folder })).not.toContain('Go')
  add('go')
  expect(foundServers(tmpdir(), { PATH: folder })).toContain('Go')
  rmSync(folder, { recursive: true })
})
