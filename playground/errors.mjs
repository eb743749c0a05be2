// Makes one page of all refusals from docs/errors. The pages use little of
// Markdown: headings, paragraphs, lists, fences, bold, code and links.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const escaped = (s) => s.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/** Inline marks. Code comes first, so that nothing in it is one. */
const inline = (text) =>
  text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith('`') && part.length > 1
        ? `<code>${escaped(part.slice(1, -1))}</code>`
        : escaped(part)
            .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
            .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1'),
    )
    .join('');

/** Renders the body of a page, below its title. */
const render = (source) => {
  const out = [];
  const blocks = source.split(/(^```[\s\S]*?^```$)/m);
  for (const block of blocks) {
    if (block.startsWith('```')) {
      const text = block.replace(/^```.*\n/, '').replace(/\n?```$/, '');
      out.push(`<pre tabindex="0">${escaped(text)}</pre>`);
      continue;
    }
    for (const piece of block.split(/\n{2,}/).map((p) => p.trim())) {
      if (piece === '') continue;
      if (/^[-*] /.test(piece)) {
        const items = piece.split(/\n(?=[-*] )/).map((i) => `<li>${inline(i.slice(2).replace(/\s+/g, ' '))}</li>`);
        out.push(`<ul>${items.join('')}</ul>`);
      } else out.push(`<p>${inline(piece.replace(/\s+/g, ' '))}</p>`);
    }
  }
  return out.join('\n');
};

/** Returns the page as HTML, and the codes on it. */
export function errorsPage(folder, css) {
  const codes = [];
  const sections = [];
  const index = [];
  for (const area of readdirSync(folder, { withFileTypes: true })
    .filter((d) => d.isDirectory())
    .map((d) => d.name)
    .sort()) {
    const links = [];
    for (const file of readdirSync(join(folder, area))
      .filter((f) => f.endsWith('.md'))
      .sort()) {
      const code = `${area}/${file.replace(/\.md$/, '')}`;
      const body = readFileSync(join(folder, area, file), 'utf8')
        .replace(/^# .*\n/, '')
        .replace(/^<!--.*-->\n/gm, '');
      codes.push(code);
      links.push(`<li><a href="#${code}">${code}</a></li>`);
      sections.push(`<section id="${code}" aria-label="${code}"><h3>${code}</h3>\n${render(body)}\n</section>`);
    }
    index.push(`<ul>${links.join('')}</ul>`);
  }
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Refusals · Shoal</title>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${css}">
</head>
<body>
<header><h1>Refusals</h1>
<p class="lead">A refusal is a “no” with a stable code. This page says for each code what it means and how to fix it.</p>
<p><a href="./">Back to the computations</a></p></header>
<main class="errors">
<nav aria-label="Codes">${index.join('\n')}</nav>
<h2>What each code means</h2>
${sections.join('\n')}
</main>
</body>
</html>
`;
  return { html, codes };
}
