import { expect, it } from 'vitest'
import { rememberablePrefix } from './command-pattern.ts'

const offered = (command: string): string | null => rememberablePrefix(command.split(' '))

it('offers a prefix if nothing else can run with it', () => {
  expect(offered('git diff --stat')).toBe('git diff *')
  expect(offered('git commit -m x')).toBe('git commit *')
  expect(offered('git status')).toBe('git status')
  expect(offered('gh pr view 12')).toBe('gh pr view *')
  expect(offered('mkdir -p a')).toBe('mkdir *')
})

it('offers the very words otherwise', () => {
  expect(offered('npm run build')).toBe('npm run build')
  expect(offered('npm test')).toBe('npm test')
  expect(offered('npm test -- --watch')).toBe('npm test -- --watch')
  expect(offered('cargo build --release')).toBe('cargo build --release')
  expect(offered('git push origin main')).toBe('git push origin main')
  expect(offered('git fetch origin')).toBe('git fetch origin')
  expect(offered('make all')).toBe('make all')
  // These subcommands can also delete.
  expect(offered('git branch new')).toBe('git branch new')
  expect(offered('git stash list')).toBe('git stash list')
  expect(offered('./run.sh x')).toBe('./run.sh x')
  expect(offered('python3 scripts/seed.py')).toBe('python3 scripts/seed.py')
  expect(offered('node build.mjs')).toBe('node build.mjs')
  expect(rememberablePrefix(['touchy', 'a b', "it's", '*'])).toBe(`touchy 'a b' 'it'\\''s' '*'`)
})

it('offers nothing for commands that could run anything', () => {
  const never = `bash;bash -c ls;sh;zsh -c x;python -c x;python3;python3 -m http.server;node -e x;node;ruby -e x;perl -e x;php -r x
    env;env ls;sudo ls;doas ls;xargs rm;eval x;source x;. x;ssh host ls;docker run x;docker exec c ls;kubectl exec p -- ls
    git;git -c a=b status;git -C x status;npx x;npm exec x;pnpm dlx x;uv run x;find . -delete;awk x;sed -i x f;timeout 5 ls
    nohup x;watch ls;parallel x;curl x;wget x;vim x;/usr/bin/env ls;/bin/bash x -c;deno eval x;busybox sh;exec ls;trap x EXIT
    command ls;nice ls;stdbuf -o0 ls;poetry run x;bundle exec x;export A=b`
  for (const command of never.split(/[;\n]/).map((one) => one.trim())) {
    expect([command, offered(command)]).toEqual([command, null])
  }
  expect(rememberablePrefix(['touchy', 'a\nb'])).toBeNull()
  expect(rememberablePrefix([])).toBeNull()
})
