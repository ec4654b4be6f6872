const mention = /(?<![\w/.\\:])\/skill\/(?:\[([a-z0-9-]{1,64})(?:\|[^\]\n]{0,200})?\]|([a-z0-9-]{1,64})(?![\w/]))/gi

/** The skills that a person names in a text: `/skill/name` or `/skill/[name|label]`, in order, each once. */
export function skillNames(text: string): string[] {
  const names = text.matchAll(mention).map(([, labelled, plain]) => (labelled ?? plain ?? '').toLowerCase())
  return [...new Set(names)]
}

/** The skill that is meant: by its name, or by it with or without `-skill` at the end. */
export function findSkill<T extends { name: string }>(name: string, skills: readonly T[]): T | undefined {
  const others = [`${name}-skill`, name.replace(/-skill$/, '')]
  return skills.find((skill) => skill.name === name) ?? skills.find((skill) => others.includes(skill.name))
}
