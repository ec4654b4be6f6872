const languages: Record<string, string> = {
  c: 'C',
  cc: 'C++',
  cpp: 'C++',
  cs: 'C#',
  css: 'CSS',
  csv: 'CSV',
  dart: 'Dart',
  dockerfile: 'Dockerfile',
  ex: 'Elixir',
  go: 'Go',
  h: 'C',
  hpp: 'C++',
  hs: 'Haskell',
  html: 'HTML',
  ini: 'INI',
  ipynb: 'Notebook',
  java: 'Java',
  js: 'JavaScript',
  json: 'JSON',
  jsonl: 'JSON lines',
  jsx: 'JSX',
  kt: 'Kotlin',
  lua: 'Lua',
  makefile: 'Makefile',
  md: 'Markdown',
  mjs: 'JavaScript',
  php: 'PHP',
  pl: 'Perl',
  py: 'Python',
  r: 'R',
  rb: 'Ruby',
  rs: 'Rust',
  scala: 'Scala',
  sh: 'Shell',
  sql: 'SQL',
  svelte: 'Svelte',
  svg: 'SVG',
  swift: 'Swift',
  toml: 'TOML',
  ts: 'TypeScript',
  tsx: 'TSX',
  txt: 'Text',
  vue: 'Vue',
  xml: 'XML',
  yaml: 'YAML',
  yml: 'YAML',
  zig: 'Zig',
}

export function languageForPath(path: string): string | undefined {
  const name = (path.split('/').at(-1) ?? '').toLowerCase()
  const ending = name.includes('.') ? (name.split('.').at(-1) ?? '') : name
  return Object.hasOwn(languages, ending) ? languages[ending] : undefined
}

/** For syntax colors. The name stands for files such as `Makefile`. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.slice(name.lastIndexOf('.') + 1)
}
