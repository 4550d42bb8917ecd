extension BuildingPage {
  /// The style sheet. Colours have a contrast of 4.5:1 at least on their ground, in both schemes. What is left to do is dark on
  /// paper and on a light screen, and what is done is pale; the symbols need no colour.
  static let style: Markup = """
    :root{color-scheme:light dark;--ground:light-dark(#fff,#14171a);--raised:light-dark(#f3f5f7,#1f2429);\
    --ink:light-dark(#16191d,#e9ecef);--dim:light-dark(#50575f,#aab3bc);--line:light-dark(#b9c0c8,#48515b);\
    --link:light-dark(#0b57a8,#84bdff);--good:light-dark(#146c2e,#6fd68a);--bad:light-dark(#b3171f,#ff9a94);\
    --warn:light-dark(#7a4b00,#f0bd63)}
    .done{--b:light-dark(#d5ecdc,#1d3b28);--i:light-dark(#0b4a20,#9fe0b3)}
    .unconfirmed{--b:light-dark(#ffe08a,#5a4600);--i:light-dark(#4a3500,#ffe08a)}
    .open{--b:light-dark(#b3171f,#ff9a94);--i:light-dark(#fff,#3a0004)}
    .missing,.conflicting{--b:light-dark(#6b1e7a,#e0a6ff);--i:light-dark(#fff,#2a0038)}
    .changed,.action_required,.without_device{--b:light-dark(#8a4a00,#ffb86b);--i:light-dark(#fff,#2b1600)}
    .accepted{--b:light-dark(#dbe4f0,#24344a);--i:light-dark(#1d3a5f,#bcd4f5)}
    .working{--b:light-dark(#2364aa,#6fb0ff);--i:light-dark(#fff,#00204a)}
    .untried,.retired{--b:var(--ground);--i:var(--dim)}
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%}
    body{margin:0 auto;padding:1rem;max-width:78rem;background:var(--ground);color:var(--ink);\
    font:1rem/1.45 system-ui,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif;overflow-wrap:break-word}
    bdi,.hash,h1,.origin dd,.cause{overflow-wrap:anywhere}
    a{color:var(--link)}
    :focus-visible{outline:3px solid var(--link);outline-offset:2px}
    .skip{position:absolute;left:-99rem}.skip:focus{position:static}
    h1{margin:0;font-size:1.6rem}h2{margin:2rem 0 .6rem;font-size:1.25rem}h3,h4{margin:1rem 0 .3rem;font-size:1rem}
    h2:focus{outline:0}
    p{margin:.4rem 0}small{font-size:.85em;font-weight:normal;color:var(--dim)}time{white-space:nowrap}
    code{font:.88em ui-monospace,"Liberation Mono",monospace}
    .kind{color:var(--dim)}
    .verdict{font-size:1.15rem;border-left:.4rem solid var(--warn);padding:.5rem .8rem;background:var(--raised)}
    .verdict strong{font-size:1.5rem;display:block}.verdict.good{border-color:var(--good)}
    .old{color:var(--warn);text-decoration:none}.none{color:var(--dim)}
    .mark,.cells a{background:var(--b);color:var(--i);text-align:center;font-weight:bold;border-radius:.15em}
    .mark{display:inline-block;width:1.4em}
    .mark.untried,.cells .untried{outline:1px dashed var(--dim);outline-offset:-1px}
    .grid p{margin:0}.floor{display:flex;gap:.5rem;margin:.2rem 0;break-inside:avoid}
    .floor>p:first-child{flex:0 0 3.4rem;font-size:.8rem;line-height:1.2;overflow:hidden}.floor>p>b{display:block}
    .cells{display:flex;flex-wrap:wrap;gap:1px;align-content:start}.cells i{width:.6rem}
    .cells a{width:18px;height:18px;font-size:12px;line-height:18px;text-decoration:none}
    .cells a:focus-visible{outline:3px solid var(--link);outline-offset:1px;position:relative}
    .many .cells a{width:12px;height:12px;font-size:9px;line-height:12px}.many .floor{margin:3px 0}
    .many .floor>p:first-child{flex-basis:4.4rem;font-size:.7rem;line-height:12px}.many .floor>p>b{display:inline}
    .few .cells a{width:2.3rem;height:2.3rem;line-height:1.15rem}.few .cells a::after{content:attr(data-n);display:block;font-size:.7rem}
    .few .cells{gap:3px}
    .cells a::before{content:"?"}
    \(symbols)
    .counts{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.5rem}
    .origin{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.8rem 0}
    .origin dt{color:var(--dim)}.origin dd{margin:0}
    .cause{border-left:.25rem solid var(--bad);padding:.1rem .8rem;margin:.8rem 0}.cause ul{padding-left:0;margin:.3rem 0;list-style:none}
    button,input{font:inherit;color:inherit;background:var(--raised);border:1px solid var(--dim);border-radius:.3rem;\
    padding:.3rem .6rem;min-height:2.2rem}
    button{cursor:pointer}button[aria-pressed=true]{border-color:var(--link);box-shadow:inset 0 0 0 2px var(--link)}
    [hidden]{display:none!important}
    .controls{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;align-items:center}.controls p{margin:0}
    .controls [role=group]{display:flex;flex-wrap:wrap;gap:.3rem}
    table{border-collapse:collapse;width:100%}caption{text-align:left;color:var(--dim);padding:.3rem 0}
    th,td{text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0;border-bottom:1px solid var(--line)}
    thead th{border-bottom:2px solid var(--dim)}
    .rooms>tbody>tr:first-child>*{border:0;padding-bottom:0}
    .rooms>thead button{padding:.1rem .4rem;min-height:0;font-weight:bold;white-space:nowrap}
    .rooms>tbody>tr:first-child>:is(:nth-child(2),:nth-child(3),:nth-child(6),:nth-child(7)){white-space:nowrap}
    th[aria-sort=ascending] button::after{content:" ▲"}th[aria-sort=descending] button::after{content:" ▼"}
    .rooms>tbody:target{background:var(--raised)}
    summary{cursor:pointer;font-size:.92em;color:var(--dim)}summary b{color:var(--warn)}
    details[open]{padding-left:.8rem;border-left:.2rem solid var(--line)}details ol{padding-left:1.4rem}details ul{padding-left:1.2rem}
    .settings bdi{font-weight:600}
    .scroll{overflow-x:auto}.plain{font-size:.92em;min-width:40rem}
    figure{margin:1rem 0;overflow-x:auto}.plot{font-size:.92em}.plot caption{color:var(--ink);font-weight:bold;font-size:1rem}
    .plot td,.plot th{vertical-align:middle}.plot .bar{width:40%;min-width:6rem;padding-right:0}
    svg{display:block}.bar svg{background:var(--raised)}.bar rect{height:14px}
    .p0{fill:light-dark(#c5d3e2,#3a4856)}.p1{fill:light-dark(#86aed6,#4d7eae)}.p2{fill:light-dark(#2364aa,#84bdff)}\
    .p3{fill:light-dark(#0b2a4a,#f0f6ff)}
    .sign{table-layout:fixed}.sign th,.sign td{border:1px solid var(--dim);padding:.4rem}.sign tbody tr{height:3rem}\
    .sign thead td{width:20%}.sign thead :last-child{width:32%}
    .signing{display:flex;flex-wrap:wrap;gap:1rem;align-items:start}.signing .sign{flex:1 1 28rem}\
    .qr{margin:0;width:9rem;font-size:.8rem}.qr rect{fill:#fff}.qr path{fill:#000}
    .hashes{list-style:none;padding:0;font-size:.92em}.hashes li{margin:.2rem 0}
    footer{margin-top:2rem;color:var(--dim)}
    .live{max-width:60rem;padding:.6rem}
    .live #lost,.live #problem:not(:empty){position:sticky;top:0;z-index:2;margin:0 0 .6rem;padding:.6rem .8rem;background:var(--raised);\
    border:.2rem solid var(--bad);font-size:1.1rem}
    .live #problem p{margin:0}
    .live .cause b{font-size:1.25rem}.live .advice{font-size:1.4rem;line-height:1.3}
    .live :target{outline:3px solid var(--link);outline-offset:3px}
    .live #chosen{min-height:1.5em;font-size:1.1rem}
    .live select{font:inherit;min-height:2.6rem;color:inherit;background:var(--raised)}
    @media screen and (min-width:52rem){\
    .some .cells a{width:2rem;height:2rem;line-height:1rem}.some .cells a::after{content:attr(data-n);display:block;font-size:.65rem}\
    .grid.many{columns:2}}
    @media screen and (max-width:52rem){\
    .rooms,.rooms>tbody,.rooms>caption{display:block}\
    .rooms>thead::before{content:"Sort by";color:var(--dim)}.rooms>thead,.rooms>thead>tr{display:flex;flex-wrap:wrap;gap:.2rem}.rooms>thead th{border:0;padding:0}\
    html:not(.js) .rooms>thead{display:none}\
    .rooms>tbody{border-bottom:1px solid var(--line);padding:.3rem 0}\
    .rooms>tbody>tr:first-child{display:flex;flex-wrap:wrap;gap:0 .8rem}.rooms>tbody>tr:last-child{display:block}\
    .rooms>tbody>tr>*{display:block;border:0;padding:0}.rooms>tbody>tr:first-child>th{flex:1 0 60%;font-size:1.1rem}\
    .rooms>tbody>tr>*:empty{display:none}\
    .rooms>tbody>tr:first-child>td:nth-child(6)::before{content:"proved ";color:var(--dim)}\
    .floor>p:first-child{flex-basis:2.5rem;font-size:.7rem}.some .cells a{width:17px;height:17px}\
    .rooms>tbody>tr:first-child>td{font-size:.85rem}.sign{font-size:.75rem}.origin{display:block}.origin dd{margin-bottom:.4rem}}

    """ + printStyle

  /// The symbol of each mark. Screen readers do not speak it: the link has the words.
  private static let symbols: Markup = RoomGrid.Mark.all.map { mark in
    ".cells .\(mark.name)::before{content:\"\(mark.symbol)\";content:\"\(mark.symbol)\"/\"\"}"
  }.joined()

  /// On paper: every room whatever is chosen on the screen, dark ink on white, headers on each page. Chromium repeats no
  /// header that has a button in it: the columns' titles take the buttons' place. A room without anything particular takes
  /// one line.
  private static let printStyle: Markup = """
    @page{size:A4;margin:12mm 12mm 14mm;@bottom-right{content:"Page " counter(page) " of " counter(pages);font-size:8pt}}
    @media print{:root{color-scheme:light;--ink:#000;--dim:#444;--line:#999;--link:#000;--raised:#fff}\
    body{font-size:9pt;line-height:1.3;max-width:none;padding:0}a{text-decoration:none}h2{margin:5mm 0 2mm}\
    .skip,.controls{display:none!important}\
    .cells a,.some .cells a,.few .cells a{width:4.4mm;height:4.4mm;font-size:7.5pt;line-height:4.4mm}.many .cells a{width:3mm;height:3mm;\
    font-size:6pt;line-height:3mm}.grid .cells a::after{content:none}.grid.many{columns:2}.counts{gap:.5mm 5mm}\
    .few .cells a{width:9mm;height:8mm;line-height:4mm}.few .cells a::after{content:attr(data-n)!important}\
    .rooms{font-size:7pt;line-height:1.2}.rooms th,.rooms td{padding:.4mm 1.5mm .4mm 0}.rooms code{font-size:6.5pt}\
    .rooms>tbody[hidden]{display:table-row-group!important}\
    .rooms>tbody:has(details:not([open])):has(.usual)>tr:first-child>*{border-bottom:1px solid var(--line)}\
    .usual:has(details:not([open])){display:none}.rooms>tbody{break-inside:avoid}\
    .rooms>thead button{display:none}.rooms>thead th::before{content:attr(data-title)}\
    summary{list-style:none}.usual summary{display:none}\
    thead{display:table-header-group;break-inside:avoid}tr,.cause li,figure{break-inside:avoid}h2,h3,caption{break-after:avoid}\
    .scroll,figure{overflow:visible}.plain,.plot{min-width:0;font-size:8pt}\
    .runs code,.hashes code{font-size:7.5pt}\
    #signatures{break-before:page}#signatures>p,.signing{break-inside:avoid}.sign tbody tr{height:12mm}.qr{width:32mm}\
    *{print-color-adjust:exact;-webkit-print-color-adjust:exact}}

    """
}
