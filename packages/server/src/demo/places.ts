/** Cities that the demo knows, with their time zones. */
const places: [names: RegExp, zone: string, en: string, zh: string][] = [
  [/tokyo|东京/, 'Asia/Tokyo', 'Tokyo', '东京'],
  [/beijing|北京/, 'Asia/Shanghai', 'Beijing', '北京'],
  [/shanghai|上海/, 'Asia/Shanghai', 'Shanghai', '上海'],
  [/hong kong|香港/, 'Asia/Hong_Kong', 'Hong Kong', '香港'],
  [/singapore|新加坡/, 'Asia/Singapore', 'Singapore', '新加坡'],
  [/seoul|首尔/, 'Asia/Seoul', 'Seoul', '首尔'],
  [/delhi|mumbai|德里|孟买/, 'Asia/Kolkata', 'India', '印度'],
  [/dubai|迪拜/, 'Asia/Dubai', 'Dubai', '迪拜'],
  [/moscow|莫斯科/, 'Europe/Moscow', 'Moscow', '莫斯科'],
  [/cairo|开罗/, 'Africa/Cairo', 'Cairo', '开罗'],
  [/berlin|柏林/, 'Europe/Berlin', 'Berlin', '柏林'],
  [/paris|巴黎/, 'Europe/Paris', 'Paris', '巴黎'],
  [/london|伦敦/, 'Europe/London', 'London', '伦敦'],
  [/s[aã]o paulo|圣保罗/, 'America/Sao_Paulo', 'São Paulo', '圣保罗'],
  [/new york|纽约/, 'America/New_York', 'New York', '纽约'],
  [/chicago|芝加哥/, 'America/Chicago', 'Chicago', '芝加哥'],
  [/los angeles|san francisco|洛杉矶|旧金山/, 'America/Los_Angeles', 'California', '加利福尼亚'],
  [/sydney|悉尼/, 'Australia/Sydney', 'Sydney', '悉尼'],
  [/auckland|奥克兰/, 'Pacific/Auckland', 'Auckland', '奥克兰'],
  [/\butc\b|\bgmt\b/, 'UTC', 'UTC', 'UTC'],
]

/** Time zones of the cities in a text, in the order in which the text names them. */
export function zonesIn(text: string): string[] {
  const lower = text.toLowerCase()
  const found = places.flatMap(([names, zone]) => {
    const at = lower.search(names)
    return at < 0 ? [] : [{ at, zone }]
  })
  return [...new Set(found.toSorted((a, b) => a.at - b.at).map(({ zone }) => zone))]
}

/** How people call a zone: the city where it is known, else the zone's own name. */
export function placeForZone(zone: string, language: 'en' | 'zh'): string {
  const place = places.find((entry) => entry[1] === zone)
  return place ? place[language === 'zh' ? 3 : 2] : zone
}
