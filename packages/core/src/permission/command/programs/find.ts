import type { ArgumentCheck, FileReading } from './program.ts'

/** Tests and actions that only look, with the number of words they take. What runs, deletes or writes is not here. */
export const expressions: ReadonlyMap<string, number> = new Map([
  ...'( ) ! , -a -and -o -or -not -true -false -empty -executable -readable -writable -nouser -nogroup -depth -d -xdev -mount -daystart -noleaf -ignore_readdir_race -noignore_readdir_race -nowarn -warn -print -print0 -ls -prune -quit'
    .split(' ')
    .map((name): [string, number] => [name, 0]),
  ...'-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -regextype -type -xtype -maxdepth -mindepth -size -perm -user -group -uid -gid -mtime -atime -ctime -mmin -amin -cmin -links -inum -fstype -used -printf'
    .split(' ')
    .map((name): [string, number] => [name, 1]),
])
/** Tests that look at another file. */
const compared = /^-(newer([aBcm][aBcmt])?|anewer|cnewer|samefile)$/

export function lookFind(words: readonly string[]): ArgumentCheck {
  const reads: { path: string; tree: true; names: true }[] = []
  let at = 0
  while (words[at] === '-H' || words[at] === '-P') at++
  for (; at < words.length && !/^[-(!,)]/.test(words[at] as string); at++)
    reads.push({ path: words[at] as string, tree: true, names: true })
  if (reads.length === 0) reads.push({ path: '.', tree: true, names: true })
  const others: FileReading[] = []
  for (; at < words.length; at++) {
    const word = words[at] as string
    if (compared.test(word)) {
      at++
      const path = words[at]
      if (path === undefined) return { why: `"find ${word}" lacks its file.` }
      if (word === '-samefile') others.push({ path })
      else if (!/^-newer[aBcm]t$/.test(word)) others.push({ path, names: true })
      continue
    }
    const takes = expressions.get(word)
    if (takes === undefined) return { why: `"find ${word}" may do more than look.` }
    at += takes
    if (at >= words.length) return { why: `"find ${word}" lacks a word.` }
  }
  return { reads: [...reads, ...others] }
}
