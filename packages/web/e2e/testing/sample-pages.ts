/** Pages of the kinds that models write. */
export const samplePages: Record<string, string> = {
  'dashboard-tsx': `import React, { useState } from 'react';
import { TrendingUp, Users, Foo } from 'lucide-react';
import { BarChart, Bar, XAxis, ResponsiveContainer } from 'recharts';

interface Item { name: string; value: number }
const data: Item[] = [
  { name: 'Jan', value: 400 },
  { name: 'Feb', value: 300 },
];

const StatCard = ({ title, value, icon: Icon, change = 0 }: { title: string; value: string }) => (
  <div className="bg-white rounded-xl shadow p-6 hover:shadow-lg">
    <p className="text-sm text-gray-500">{title}</p>
    <p className={\`text-2xl font-bold \${change > 0 ? 'text-green-600' : 'text-red-600'}\`}>{value}</p>
    {change > 0 && <span>+{change}%</span>}
  </div>
);

export default function Dashboard() {
  const [tab, setTab] = useState('overview');
  const total = data.reduce((sum, d) => sum + d.value, 0);
  return (
    <div className="min-h-screen bg-gray-50 p-8">
      {/* Header */}
      <h1 className="text-3xl font-bold">Sales Dashboard</h1>
      <p>Total: \${total.toLocaleString()}</p>
      <div className="grid grid-cols-1 md:grid-cols-3 gap-6">
        <StatCard title="Revenue" value="$45,231" change={20.1} />
        <StatCard title="Users" value="2,350" change={-3} />
        {data.map((d, i) => <li key={i}>{d.name}: {d.value}</li>)}
      </div>
      <button onClick={() => setTab('x')} style={{ padding: 8, backgroundColor: '#fff', backgroundImage: 'url(https://x)' }}>Go <TrendingUp className="w-4 h-4" /><Foo /></button>
      <ResponsiveContainer width="100%" height={300}><BarChart data={data}><XAxis dataKey="name" /><Bar dataKey="value" fill="#8884d8" /></BarChart></ResponsiveContainer>
      {tab === 'overview' ? <b>yes</b> : null}
    </div>
  );
}`,
  'plain-div': `<div className="p-4 bg-white rounded-lg shadow"><h1 className="text-xl font-bold">Hello</h1><p>World</p></div>`,
  'style-object': `<div style={{ display: "flex", gap: 12, padding: "8px 16px", lineHeight: 1.5, opacity: 0.9, WebkitFontSmoothing: "antialiased", "--brand": "#0a0" }}><span style={{ color: "tomato" }}>a</span></div>`,
  'style-string': `<p style="color: red; font-weight: 600">Text</p>`,
  'html-class': `<section class="max-w-2xl mx-auto"><label for="a">A</label><input id="a" type="text" value="x"><br><img src="data:image/png;base64,AAAA" alt="dot"></section>`,
  'html-comment': `<!-- a page -->
<div class="p-2"><!-- inner --><b>Bold</b></div>`,
  'full-html': `<!DOCTYPE html>
<html lang="en"><head><title>My page</title><style>.x { color: red }
@keyframes spin { to { transform: rotate(360deg) } }</style></head><body class="p-4"><div class="x">Hi</div></body></html>`,
  fragment: `<>
  <h2>One</h2>
  <p>Two {"strings"} and {42} and {true} and {null}</p>
</>`,
  'two-roots': `<div>one</div>
<div>two</div>`,
  pricing: `const plans = [
  { name: 'Starter', price: 0, features: ['1 user', '1 GB'], popular: false },
  { name: 'Pro', price: 29, features: ['10 users', '100 GB', 'Support'], popular: true },
  { name: 'Enterprise', price: null, features: ['Unlimited'], popular: false },
];

export default function Pricing() {
  return (
    <div className="grid md:grid-cols-3 gap-8 p-8">
      {plans.map((plan) => (
        <div key={plan.name} className={\`rounded-2xl border p-6 \${plan.popular ? 'border-indigo-600 ring-2 ring-indigo-600' : 'border-gray-200'}\`}>
          {plan.popular && <span className="bg-indigo-100 text-indigo-700 text-xs px-2 py-1 rounded-full">Most popular</span>}
          <h3 className="text-lg font-semibold">{plan.name}</h3>
          <p className="mt-4 text-4xl font-bold">{plan.price === null ? 'Custom' : \`$\${plan.price}\`}<span className="text-base text-gray-500">/mo</span></p>
          <ul className="mt-6 space-y-2">
            {plan.features.map((f, i) => <li key={i} className="flex items-center gap-2"><Check className="h-4 w-4 text-green-500" />{f}</li>)}
          </ul>
          <button className="mt-6 w-full rounded-lg bg-indigo-600 py-2 text-white hover:bg-indigo-700">Choose {plan.name}</button>
        </div>
      ))}
    </div>
  );
}`,
  landing: `import { ArrowRight, Zap, Shield, Globe } from "lucide-react";

const features = [
  { icon: Zap, title: "Fast", text: "Ships in seconds." },
  { icon: Shield, title: "Safe", text: "Encrypted at rest." },
];

const Landing = () => {
  return (
    <main className="min-h-screen bg-gradient-to-br from-slate-900 via-purple-900 to-slate-900 text-white">
      <nav className="flex justify-between items-center px-8 py-4">
        <a href="/" className="text-2xl font-bold">Acme</a>
        <a href="#features">Features</a>
      </nav>
      <section className="text-center py-24 px-4">
        <h1 className="text-5xl md:text-7xl font-extrabold tracking-tight">Build faster</h1>
        <p className="mt-6 text-xl text-white/70 max-w-2xl mx-auto">The best way to ship &mdash; really.</p>
        <button className="mt-8 inline-flex items-center gap-2 rounded-full bg-white px-6 py-3 text-slate-900">Get started <ArrowRight size={16} /></button>
      </section>
      <footer className="text-center text-sm">&copy; {new Date().getFullYear()} Acme</footer>
    </main>
  );
};

export default Landing;`,
  'contact-form': `<form className="max-w-md mx-auto space-y-4" onSubmit={(e) => e.preventDefault()}>
  <div>
    <label htmlFor="email" className="block text-sm font-medium text-gray-700">Email</label>
    <input type="email" id="email" name="email" required placeholder="you@example.com" className="mt-1 block w-full rounded-md border-gray-300" />
  </div>
  <select defaultValue="b" name="x"><option value="a">A</option><option value="b">B</option></select>
  <textarea rows={4} defaultValue="Hello" />
  <input type="checkbox" defaultChecked /> <input type="range" min={0} max="10" step={1} />
  <button type="submit" disabled>Send</button>
</form>`,
  'svg-art': `<svg viewBox="0 0 200 200" width="200" height="200" xmlns="http://www.w3.org/2000/svg">
  <defs>
    <linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0%" stopColor="#87CEEB" /><stop offset="100%" stop-color="#fff" /></linearGradient>
    <radialGradient id="sun"><stop offset="0" stopColor="yellow" /></radialGradient>
    <filter id="blur"><feGaussianBlur stdDeviation="2" /></filter>
    <clipPath id="c"><circle cx="100" cy="100" r="90" /></clipPath>
  </defs>
  <title>A hill</title>
  <rect width="200" height="200" fill="url(#sky)" clipPath="url(#c)" />
  <circle cx="150" cy="50" r="20" fill="url(#sun)" filter="url(#blur)"><animate attributeName="r" values="18;22;18" dur="3s" repeatCount="indefinite" /></circle>
  <path d="M0 150 Q 50 100 100 150 T 200 150 V 200 H 0 Z" fill="#3a5" strokeWidth={2} strokeLinecap="round" />
  <text x="100" y="190" textAnchor="middle" fontSize="12" fontFamily="serif">Hill</text>
  <use href="#c" /><g transform="translate(10 10) rotate(45)"><polygon points="0,0 10,0 5,10" /></g>
</svg>`,
  'svg-generated': `const Art = () => {
  const petals = Array.from({ length: 12 }, (_, i) => i * 30);
  return (
    <svg viewBox="-100 -100 200 200" className="w-full h-64">
      {petals.map((angle) => (
        <ellipse key={angle} cx={0} cy={-40} rx={12} ry={40} fill={\`hsl(\${angle}, 70%, 60%)\`} opacity={0.7} transform={\`rotate(\${angle})\`} />
      ))}
      {[...Array(5)].map((_, i) => <circle key={i} r={10 + i * 2} fill="none" stroke="gold" />)}
      {Array(3).fill(0).map((_, i) => <circle key={i} cx={Math.round(Math.cos(i) * 50)} cy={Math.sin(i * Math.PI / 3).toFixed(2)} r="2" />)}
    </svg>
  );
};
export default Art;`,
  'for-loop': `function Grid() {
  const cells = [];
  for (let i = 0; i < 9; i++) {
    if (i % 2 === 0) cells.push(<div key={i} className="bg-black w-8 h-8" />);
    else cells.push(<div key={i} className="bg-white w-8 h-8" />);
  }
  let label = '';
  for (const word of ['a', 'b']) { label += word; }
  return <div className="grid grid-cols-3 w-24" aria-label={label}>{cells}</div>;
}`,
  table: `const rows = [["Ann", 34, true], ["Bob", 28, false]];
<table className="min-w-full divide-y divide-gray-200">
  <thead><tr>{["Name", "Age", "Active"].map(h => <th key={h} scope="col" className="px-6 py-3 text-left text-xs uppercase">{h}</th>)}</tr></thead>
  <tbody>{rows.map(([name, age, active], i) => <tr key={i} className={i % 2 ? "bg-gray-50" : ""}><td colSpan={1}>{name}</td><td>{age}</td><td>{active ? "✓" : "✗"}</td></tr>)}</tbody>
</table>`,
  shadcn: `import { Card, CardHeader, CardTitle, CardDescription, CardContent, CardFooter } from "@/components/ui/card";
import { Button } from "@/components/ui/button";
import { Badge } from '@/components/ui/badge';
import { Tabs, TabsList, TabsTrigger, TabsContent } from "@/components/ui/tabs";
import { cn } from "@/lib/utils";

export default function Page() {
  return (
    <Card className={cn("w-[350px]", true && "shadow-lg", { "mt-4": true, hidden: false })}>
      <CardHeader><CardTitle>Create project</CardTitle><CardDescription>Deploy in one click.</CardDescription></CardHeader>
      <CardContent>
        <Tabs defaultValue="a"><TabsList><TabsTrigger value="a">A</TabsTrigger></TabsList><TabsContent value="a"><Badge variant="outline">New</Badge></TabsContent></Tabs>
        <p className="text-muted-foreground">muted</p>
      </CardContent>
      <CardFooter className="flex justify-between"><Button variant="outline" size="sm">Cancel</Button><Button onClick={() => alert('x')}>Deploy</Button></CardFooter>
    </Card>
  );
}`,
  recharts: `import { LineChart, Line, XAxis, YAxis, CartesianGrid, Tooltip, Legend, ResponsiveContainer, PieChart, Pie, Cell } from 'recharts';
const data = [{ month: 'Jan', sales: 30, costs: 20 }, { month: 'Feb', sales: 45, costs: 25 }, { month: 'Mar', sales: 28, costs: 22 }];
const COLORS = ['#0088FE', '#00C49F'];
export default function Charts() {
  return (
    <div className="p-4">
      <ResponsiveContainer width="100%" height={300}>
        <LineChart data={data} margin={{ top: 5 }}>
          <CartesianGrid strokeDasharray="3 3" /><XAxis dataKey="month" /><YAxis /><Tooltip /><Legend />
          <Line type="monotone" dataKey="sales" stroke="#8884d8" /><Line dataKey="costs" stroke="#82ca9d" />
        </LineChart>
      </ResponsiveContainer>
      <PieChart><Pie data={data} dataKey="sales" nameKey="month" innerRadius={40}>{data.map((_, i) => <Cell key={i} fill={COLORS[i % COLORS.length]} />)}</Pie></PieChart>
    </div>
  );
}`,
  'own-charts': `<div className="p-4"><BarChart data={[{ label: "A", value: 3 }, { label: "B", value: -5 }]} x="label" y="value" /><Sparkline data={[1, 4, 2, 8]} /><AreaChart data={[{ t: "x", v: 1 }, { t: "y", v: 2 }]} /></div>`,
  kanban: `const columns = { todo: ['Write', 'Test'], doing: ['Build'], done: [] };
export default () => (
  <div className="flex gap-4 overflow-x-auto">
    {Object.entries(columns).map(([name, cards]) => (
      <section key={name} className="w-64 shrink-0 rounded-lg bg-slate-100 p-3">
        <h3 className="mb-2 font-medium capitalize">{name} ({cards.length})</h3>
        {cards.length === 0 ? <p className="text-sm text-slate-400">Nothing here</p> : cards.map(card => <article key={card} className="mb-2 rounded bg-white p-2 shadow-sm">{card}</article>)}
      </section>
    ))}
  </div>
);`,
  calendar: `export default function Calendar() {
  const days = ['Mon','Tue','Wed','Thu','Fri','Sat','Sun'];
  const first = 2;
  const cells = [...Array(first).fill(null), ...Array.from({ length: 31 }, (_, i) => i + 1)];
  return <div className="grid grid-cols-7 gap-1">{days.map(d => <b key={d}>{d}</b>)}{cells.map((day, i) => <div key={i} className={day === 14 ? 'bg-blue-500 text-white' : undefined}>{day ?? ''}</div>)}</div>;
}`,
  invoice: `const items = [{ d: 'Design', q: 10, p: 85.5 }, { d: 'Code', q: 22.5, p: 95 }];
const subtotal = items.reduce((s, { q, p }) => s + q * p, 0);
const tax = subtotal * 0.2;
const money = (n) => n.toLocaleString('en-US', { style: 'currency', currency: 'USD' });
const fmt = new Intl.NumberFormat('de-DE', { minimumFractionDigits: 2 });
export default function Invoice() {
  return (<div className="mx-auto max-w-3xl p-10 print:p-0"><h1>Invoice #1024</h1><table>{items.map(i => (<tr key={i.d}><td>{i.d}</td><td className="text-right tabular-nums">{money(i.q * i.p)}</td></tr>))}</table><p>{fmt.format(tax)} + {money(subtotal + tax)}</p></div>);
}`,
  profile: `<div className="max-w-sm mx-auto bg-white rounded-xl overflow-hidden md:flex"><img className="h-48 w-full object-cover md:w-48" src="https://images.unsplash.com/photo-1" alt="Ann" width={192} height={192} /><div className="p-8"><div className="uppercase tracking-wide text-sm text-indigo-500">Engineer</div><a href="https://example.com" target="_blank" rel="noreferrer" className="block mt-1">Ann Lee</a></div></div>`,
  timeline: `const events = [{ date: '2024', title: 'Founded' }, { date: '2025', title: 'Series A', done: true }];
<ol className="relative border-l border-gray-200 dark:border-gray-700">
  {events.map(({ date, title, done = false }, index) => (
    <li className="mb-10 ml-4" key={index}>
      <div className={"absolute w-3 h-3 rounded-full mt-1.5 -left-1.5 border " + (done ? "bg-green-500" : "bg-gray-200")}></div>
      <time className="mb-1 text-sm">{date}</time><h3>{title}</h3>
    </li>
  ))}
</ol>`,
  'nested-components': `function Avatar({ name, size = 'md', ...rest }) {
  const sizes = { sm: 'w-6 h-6', md: 'w-10 h-10' };
  const initials = name.split(' ').map((n) => n[0]).join('').toUpperCase();
  return <div className={\`\${sizes[size]} rounded-full bg-teal-600 text-white flex items-center justify-center\`} {...rest}>{initials}</div>;
}
function List({ children, title }) { return <section><h2>{title}</h2>{children}</section>; }
export default function App() {
  return <List title="Team"><Avatar name="Ann Lee" /><Avatar name="bob ray" size="sm" data-x="1" aria-label="Bob" /></List>;
}`,
  switch: `const Status = ({ kind }) => {
  switch (kind) {
    case 'ok': return <span className="text-green-600">OK</span>;
    case 'bad': { return <span className="text-red-600">Bad</span>; }
    default: return null;
  }
};
const getColor = (v) => { if (v > 80) return 'bg-red-500'; else if (v > 50) return 'bg-amber-500'; return 'bg-green-500'; };
export default function App() { return <div><Status kind="ok" /><Status kind="bad" /><Status /><i className={getColor(60)} style={{ width: \`\${60}%\` }} /></div>; }`,
  hooks: `import { useState, useEffect, useMemo, useRef } from 'react'
export default function Counter() {
  const [count, setCount] = useState<number>(3)
  const [items] = React.useState(() => ['a', 'b'])
  const ref = useRef<HTMLDivElement>(null)
  const double = useMemo(() => count * 2, [count])
  useEffect(() => { const id = setInterval(() => setCount(c => c + 1), 1000); return () => clearInterval(id) }, [])
  const handle = () => setCount(count + 1)
  return <div ref={ref} className="p-4"><h1>Count {count}</h1><p>{double}</p><button onClick={handle}>+</button>{items.map(i => <b key={i}>{i}</b>)}</div>
}`,
  entities: `<p>a &lt; b &amp;&amp; c &nbsp;&rarr; &copy; 2025 &hellip; &#128512; {"{"}braces{"}"} {\`tick\`} it's "quoted" 5 > 3</p>`,
  rtl: `<div dir="rtl" lang="ar" className="text-right"><h1>مرحبا بالعالم</h1><p>{"שלום"} 👩‍👩‍👧‍👦 日本語</p></div>`,
  comments: `// Data
const a = 1; /* block */
/** Doc */
export default function App() {
  // inside
  return (
    // before
    <div
      // attribute
      className="p-1" /* more */
    >
      {/* child */}
      {
        // line
      }
      {a}
    </div>
  )
}`,
  'optional-chaining': `const user = { profile: { name: 'Ann' }, tags: null };
<p className="x">{user?.profile?.name ?? 'none'} {user.tags?.length ?? 0} {user.missing?.deep?.er || 'no'}</p>`,
  logical: `<div className="p-2">{1 && <b>one</b>}{0 || "zero"}{false && <i>never</i>}{!true ? "a" : "b"}{3 > 2 && 2 >= 2 && 1 !== 2 && "all"}{typeof "x" === "string" && "text"}{-5 + +"3"}{2 ** 3}{7 % 4}</div>`,
  destructure: `const [first, , third = 'c'] = ['a', 'b'];
const { x: { y }, z = 5, ...rest } = { x: { y: 1 }, q: 2 };
<p className="p">{first}{third}{y}{z}{rest.q}</p>`,
  'string-methods': `<p className="x">{"hello world".split(" ").map(w => w.charAt(0).toUpperCase() + w.slice(1)).join(" ")} {"a-b".replace("-", "+")} {"x".repeat(3)} {"7".padStart(3, "0")} {["b","a"].sort().reverse().join("")} {[3,1,2].sort((a, b) => a - b).slice(0, 2).includes(1) ? "y" : "n"} {String(5)} {Number("3") + 1} {JSON.stringify({ a: [1] })}</p>`,
  'filter-find': `const tasks = [{ id: 1, done: true, t: 'A' }, { id: 2, done: false, t: 'B' }];
<div className="p-2"><p>{tasks.filter(t => t.done).length} / {tasks.length}</p><p>{tasks.find(t => t.id === 2)?.t}</p><p>{Math.round(tasks.filter(Boolean).length / 3 * 100)}%</p><p>{tasks.some(t => !t.done) && tasks.every(t => t.id > 0) ? 'mixed' : ''}</p></div>`,
  weather: `export default function Weather() {
  const forecast = [{ day: 'Mon', hi: 21, lo: 12, icon: '☀️' }, { day: 'Tue', hi: 18, lo: 10, icon: '🌧️' }];
  const max = Math.max(...forecast.map(f => f.hi));
  return <div className="bg-gradient-to-b from-sky-400 to-blue-600 text-white rounded-3xl p-6 w-80">{forecast.map(f => <div key={f.day} className="flex items-center justify-between"><span>{f.day}</span><span className="text-2xl">{f.icon}</span><div className="h-1 bg-white/30 rounded" style={{ width: \`\${(f.hi / max) * 100}px\` }} /></div>)}<p>{max}°</p></div>;
}`,
  'chat-ui': `const messages = [{ me: true, text: 'Hi' }, { me: false, text: "How's it going?" }];
export default function Chat() { return (<div className="flex flex-col h-96 border rounded-lg"><div className="flex-1 overflow-y-auto p-4 space-y-2">{messages.map((m, i) => (<div key={i} className={\`max-w-[75%] rounded-2xl px-4 py-2 \${m.me ? "ml-auto bg-blue-600 text-white" : "bg-gray-200"}\`}>{m.text}</div>))}</div><div className="border-t p-2 flex gap-2"><input className="flex-1" placeholder="Type…" /><button><Send className="w-5 h-5" /></button></div></div>) }`,
  'lucide-names': `import { Home, Settings, CheckCircle2, AlertTriangle, BarChart3, LucideHeart, StarIcon, NotAnIconAtAll } from 'lucide-react'
<div className="flex"><Home /><Settings /><CheckCircle2 color="green" size={32} strokeWidth={1} /><AlertTriangle aria-label="Warning" /><BarChart3 /><LucideHeart fill="red" /><StarIcon /><NotAnIconAtAll /></div>`,
  'icon-component': `<div className="p-1"><Icon name="rocket" size={20} /><Icon name="check-circle" /><Icon name="ArrowRight" className="text-red-500" /></div>`,
  motion: `import { motion } from 'framer-motion';
<motion.div initial={{ opacity: 0 }} animate={{ opacity: 1 }} className="p-4"><motion.h1>Hi</motion.h1></motion.div>`,
  'style-tag': `<div><style>{\`
  .card { transition: transform 0.2s; }
  .card:hover { transform: scale(1.05); }
  @media (min-width: 600px) { .card { width: 50% } }
\`}</style><div className="card">x</div></div>`,
  'style-jsx': `<div className="w"><style jsx>{\`.a > .b { color: red; }\`}</style>t</div>`,
  arbitrary: `<div className="w-[37px] h-[calc(100%-2rem)] bg-[#1da1f2] grid-cols-[1fr_2fr] top-[117px] text-[clamp(1rem,2vw,2rem)] before:content-['x'] [&>p]:mt-2 data-[state=open]:bg-red-500 group-hover:underline">x</div>`,
  'responsive-dark': `<div className="group p-2 sm:p-4 md:p-6 lg:p-8 xl:p-10 2xl:p-12 dark:bg-gray-900 dark:hover:bg-gray-800 focus-visible:ring-2 first:mt-0 odd:bg-white"><p className="group-hover:text-blue-500">x</p></div>`,
  resume: `const Section = ({title, children}: {title: string; children: React.ReactNode}) => <section className="mb-6"><h2 className="border-b pb-1 text-lg font-semibold uppercase tracking-wider">{title}</h2><div className="mt-2">{children}</div></section>;
const Job = ({ role, org, from, to = "now" }: any) => <div className="flex justify-between"><div><strong>{role}</strong>, <em>{org}</em></div><span>{from}–{to}</span></div>;
export default function Resume(): JSX.Element { return <div className="mx-auto max-w-[210mm] bg-white p-12 font-serif"><h1 className="text-3xl">Ann Lee</h1><Section title="Work"><Job role="Engineer" org="Acme" from={2020} /><Job role="Intern" org="Foo" from={2019} to={2020} /></Section></div>; }`,
  faq: `<div className="space-y-2">{[["Is it free?", "Yes."], ["Can I cancel?", "Any time."]].map(([q, a], i) => <details key={q} open={i === 0} className="rounded border p-3"><summary className="cursor-pointer font-medium">{q}</summary><p className="mt-2">{a}</p></details>)}</div>`,
  'progress-rings': `const Ring = ({ value, label }) => { const r = 40; const c = 2 * Math.PI * r; return <figure className="inline-block text-center"><svg width="100" height="100" className="-rotate-90"><circle cx="50" cy="50" r={r} fill="none" stroke="#eee" strokeWidth="8" /><circle cx="50" cy="50" r={r} fill="none" stroke="#10b981" strokeWidth="8" strokeDasharray={c} strokeDashoffset={c * (1 - value / 100)} strokeLinecap="round" /></svg><figcaption>{label}: {value}%</figcaption></figure> };
export default () => <div>{[["CPU", 62], ["RAM", 81]].map(([l, v]) => <Ring key={l} label={l} value={v} />)}</div>`,
  heatmap: `<div className="inline-grid grid-cols-7 gap-1">{Array.from({ length: 28 }).map((_, i) => { const v = Math.random(); return <div key={i} title={\`\${i}\`} className="h-4 w-4 rounded-sm" style={{ backgroundColor: \`rgba(16, 185, 129, \${v})\` }} /> })}</div>`,
  'react-fragment': `export default function A() { return <React.Fragment><Fragment key="a"><b>x</b></Fragment></React.Fragment> }`,
  'var-jsx': `const header = <h1 className="text-2xl">Title</h1>;
const body = (
  <p>Body</p>
);
function App() { return <div>{header}{body}</div> }
export default App`,
  'render-call': `function App() { return <h1 className="x">Hi</h1> }
ReactDOM.createRoot(document.getElementById("root")).render(<App />);`,
  'use-client': `"use client";

import Link from "next/link";
import Image from "next/image";

export default function Home() { return <main className="p-4"><Link href="/about" className="underline">About</Link><Image src="/hero.png" alt="Hero" width={600} height={300} priority /></main> }`,
  'memo-export': `const Item = React.memo(({ n }) => <li>{n}</li>);
const Main = () => <ul className="list-disc">{[1, 2, 3].map(n => <Item key={n} n={n} />)}</ul>;
export default Main;`,
  'components-mixed': `<Card title="Week 12" className="shadow-xl"><Grid columns={3}><Stat label="Visits" value={1204} change="+8%" tone="good" /><Progress label="Goal" value={68} /><Badge tone="warning">Late</Badge></Grid><Table columns={["A", "B"]} rows={[["x", 1], ["y", 2]]} /><Callout title="Note">Text <b>bold</b></Callout><List><Item>a</Item></List></Card>`,
  'array-of-jsx': `const items = [<li key="a">A</li>, <li key="b">B</li>];
export default () => <ul className="p-2">{items}</ul>`,
  'object-lookup': `const colors = { high: 'text-red-600', low: 'text-green-600' };
const rows = Object.keys(colors).map((level) => ({ level, cls: colors[level] }));
<ul className="p-1">{rows.map(r => <li className={r.cls} key={r.level}>{r.level}</li>)}</ul>`,
  iife: `<div className="p-2">{(() => { const x = 5; return <b>{x}</b>; })()}</div>`,
  'multiline-template': `<p className={\`
  p-4
  \${true ? "m-2" : ""}
\`}>x</p>`,
  'trailing-comma': `export default function A({ a = 1, }) { const f = (x, y,) => x + y; return (<div className="p-1">{f(1, 2,)}{[1, 2,].length}</div>); };`,
  'as-const': `type Level = 'a' | 'b';
const levels = ['a', 'b'] as const;
const map: Record<string, number> = { a: 1 };
export default function X() { return <p className="p-1">{levels.map((l) => l as string).join(',')}{map['a']!}</p>; }`,
  quiz: `const questions = [{ q: "2+2?", options: ["3", "4"], answer: 1 }];
export default function Quiz() {
  const [picked, setPicked] = useState({});
  const score = questions.filter((q, i) => picked[i] === q.answer).length;
  return <div className="p-6">{questions.map((item, qi) => <fieldset key={qi}><legend className="font-medium">{qi + 1}. {item.q}</legend>{item.options.map((o, oi) => <label key={oi} className="block"><input type="radio" name={\`q\${qi}\`} checked={picked[qi] === oi} onChange={() => setPicked({ ...picked, [qi]: oi })} /> {o}</label>)}</fieldset>)}<p>Score: {score}/{questions.length}</p></div>;
}`,
  'emoji-grid': `<div className="text-4xl grid grid-cols-4 gap-2">{[..."🍎🍌🍇🍓"].map((e) => <span key={e} role="img" aria-label="fruit">{e}</span>)}</div>`,
  meter: `<div className="p-1"><meter value={0.6} min="0" max="1">60%</meter><progress value="3" max={10} /><time dateTime="2025-01-01">New Year</time><abbr title="HyperText">HTML</abbr><kbd>Ctrl</kbd><q>q</q><ruby>漢<rt>kan</rt></ruby></div>`,
  picture: `<figure className="p-2"><picture><img src="data:image/svg+xml,%3Csvg%3E" alt="d" loading="lazy" /></picture><figcaption>Cap</figcaption></figure>`,
}
