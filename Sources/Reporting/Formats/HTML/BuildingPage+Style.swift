extension BuildingPage {
  /// The style sheet. Colours have a contrast of 4.5:1 at least on their ground, in both schemes.
  static let style: HTML = """
    :root{color-scheme:light dark;--ground:#fff;--raised:#f3f5f7;--ink:#16191d;--dim:#50575f;--line:#b9c0c8;\
    --link:#0b57a8;--good:#146c2e;--bad:#b3171f;--warn:#7a4b00;--scan:#8a949f;--connect:#b35900;--session:#2364aa}
    @media (prefers-color-scheme:dark){:root{--ground:#14171a;--raised:#1f2429;--ink:#e9ecef;--dim:#aab3bc;--line:#48515b;\
    --link:#84bdff;--good:#6fd68a;--bad:#ff9a94;--warn:#f0bd63;--scan:#7d8894;--connect:#ffad5c;--session:#6fb0ff}}
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%}
    body{margin:0 auto;padding:1rem;max-width:78rem;background:var(--ground);color:var(--ink);\
    font:1rem/1.45 system-ui,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif;overflow-wrap:break-word}
    bdi,.hash,h1,.origin dd,.groups,.cause{overflow-wrap:anywhere}
    a{color:var(--link)}
    :focus-visible{outline:3px solid var(--link);outline-offset:2px}
    .skip{position:absolute;left:-99rem}.skip:focus{position:static}
    h1{margin:0;font-size:1.6rem}h2{margin:2rem 0 .6rem;font-size:1.25rem}h3{margin:1rem 0 .3rem;font-size:1rem}
    h2:focus{outline:0}
    p{margin:.4rem 0}small{font-size:.85em;font-weight:normal;color:var(--dim)}time{white-space:nowrap}
    code{font:.88em ui-monospace,"Liberation Mono",monospace}
    .kind{color:var(--dim)}
    .verdict{font-size:1.25rem;border-left:.4rem solid var(--warn);padding:.5rem .8rem;background:var(--raised)}
    .verdict strong{font-size:1.5rem;display:block}.verdict.good{border-color:var(--good)}
    .note,.weak,.old{color:var(--warn)}.none{color:var(--dim)}
    .counts,.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.5rem}
    .groups,.history ul{padding-left:1.2rem}
    .mark{display:inline-block;min-width:1.2em;text-align:center;font-weight:bold}
    .mark.done{color:var(--good)}.mark.open,.mark.missing{color:var(--bad)}.mark.outdated,.mark.unconfirmed{color:var(--warn)}
    .origin{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.8rem 0}
    .origin dt{color:var(--dim)}.origin dd{margin:0}
    .cause{border-left:.25rem solid var(--bad);padding:.1rem .8rem;margin:.8rem 0}.cause ul{padding-left:1.2rem;margin:.3rem 0}
    button,input{font:inherit;color:inherit;background:var(--raised);border:1px solid var(--dim);border-radius:.3rem;\
    padding:.3rem .6rem;min-height:2.2rem}
    button{cursor:pointer}button[aria-pressed=true]{border-color:var(--link);box-shadow:inset 0 0 0 2px var(--link)}
    [hidden]{display:none!important}
    .controls{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;align-items:center}.controls p{margin:0}
    .controls [role=group]{display:flex;flex-wrap:wrap;gap:.3rem}
    table{border-collapse:collapse;width:100%}caption{text-align:left;color:var(--dim);padding:.3rem 0}
    th,td{text-align:left;vertical-align:top;padding:.35rem .6rem .35rem 0;border-bottom:1px solid var(--line)}
    thead th{border-bottom:2px solid var(--dim)}
    .rooms>tbody>tr:first-child>*{border-bottom:0}
    .rooms>thead button{padding:.1rem .4rem;min-height:0;font-weight:bold;white-space:nowrap}
    .rooms>tbody>tr:first-child>:is(:nth-child(2),:nth-child(3),:nth-child(7)){white-space:nowrap}
    th[aria-sort=ascending] button::after{content:" ▲"}th[aria-sort=descending] button::after{content:" ▼"}
    .history>td{padding-top:0}.history summary{color:var(--link);cursor:pointer;width:max-content}
    .history details{padding-left:.8rem;border-left:.2rem solid var(--line)}.history ol{padding-left:1.4rem}
    .js .history{display:none}.js .open .history{display:table-row}.js .history summary{display:none}
    .js .rooms>tbody>tr:first-child>*{border-bottom:1px solid var(--line)}
    .js .rooms>tbody.open>tr:first-child>*{border-bottom:0}
    .toggle{text-align:left;font-weight:bold;border:0;background:none;color:var(--link);padding:0;min-height:1.5rem}.toggle::before{content:"▸ "}.toggle[aria-expanded=true]::before{content:"▾ "}
    .settings bdi{font-weight:600}
    .scroll{overflow-x:auto}.strips{min-width:40rem}.plain{font-size:.92em;min-width:40rem}
    svg{display:block}.legend svg,.legend li{display:inline-block}
    .strip{background:var(--raised)}.strips h3{position:sticky;left:0;width:max-content}
    .axis line{stroke:var(--dim)}.axis .m{display:none}.zoomed .axis .m{display:inline}.axis text,figure text{fill:var(--dim);font-size:11px}
    .s{height:10px;fill:var(--scan)}.c{height:10px;fill:var(--connect)}.l{height:6px;fill:var(--session)}
    .f{fill:var(--ground);stroke:var(--bad);stroke-width:1.5;stroke-dasharray:3 2}
    .figures{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0;flex:1 1 20rem;max-width:34rem}
    figure rect{fill:var(--session)}figure path{stroke:var(--dim)}figure text{text-anchor:middle}figure .n{fill:var(--ink)}
    .sign{table-layout:fixed}.sign th,.sign td{border:1px solid var(--dim);padding:.4rem}.sign tbody tr{height:3rem}\
    .sign thead td{width:20%}.sign thead :last-child{width:32%}
    .hashes{list-style:none;padding:0;font-size:.92em}.hashes li{margin:.2rem 0}
    footer{margin-top:2rem;color:var(--dim)}
    .stamp{position:fixed;inset:0;display:flex;align-items:center;justify-content:center;pointer-events:none;z-index:9}
    .stamp span{font-size:min(15vw,9rem);font-weight:bold;letter-spacing:.05em;color:var(--bad);opacity:.14;transform:rotate(-30deg)}
    @media screen and (max-width:52rem){\
    .rooms,.rooms>tbody,.rooms>tbody>tr,.rooms>caption{display:block}\
    .rooms>thead::before{content:"Sort by";color:var(--dim)}.rooms>thead,.rooms>thead>tr{display:flex;flex-wrap:wrap;gap:.2rem}.rooms>thead th{border:0;padding:0}\
    html:not(.js) .rooms>thead{display:none}\
    .rooms>tbody{border:1px solid var(--line);border-radius:.4rem;padding:.4rem .6rem;margin:.6rem 0}\
    .rooms>tbody>tr>*{display:block;border:0!important;padding:.12rem 0}\
    .rooms>tbody>tr>*:empty{display:none}\
    .rooms>tbody>tr>th{font-size:1.1rem}\
    .rooms>tbody>tr:first-child>td{position:relative;padding-left:6.5rem}\
    .rooms>tbody>tr:first-child>td::before{position:absolute;left:0;color:var(--dim)}\
    .rooms>tbody>tr:first-child>td:nth-child(2)::before{content:"State"}.rooms>tbody>tr:first-child>td:nth-child(3)::before{content:"Device"}\
    .rooms>tbody>tr:first-child>td:nth-child(4)::before{content:"Identity"}.rooms>tbody>tr:first-child>td:nth-child(5)::before{content:"Evidence"}\
    .rooms>tbody>tr:first-child>td:nth-child(6)::before{content:"Proved on"}.rooms>tbody>tr:first-child>td:nth-child(7)::before{content:"Run"}\
    .js .open .history{display:block}.history>td{display:block!important}.toggle{width:100%}.sign{font-size:.75rem}\
    .origin{display:block}.origin dd{margin-bottom:.4rem}}

    """ + printStyle

  /// On each page of paper that is about a simulated building.
  static let simulatedStyle: HTML = "@page{@top-center{content:\"SIMULATED\";font-weight:bold}}"

  /// On paper: every room whatever is chosen on the screen, dark ink on white, headers on each page. Chromium repeats no
  /// header that has a button in it: the columns' titles take the buttons' place.
  private static let printStyle: HTML = """
    @page{size:A4;margin:14mm 12mm 16mm;@bottom-right{content:"Page " counter(page) " of " counter(pages);font-size:8pt}}
    @media print{:root{color-scheme:light;--ground:#fff;--raised:#fff;--ink:#000;--dim:#444;--line:#999;--link:#000;\
    --good:#146c2e;--bad:#a3141b;--warn:#6b4200;--scan:#8a949f;--connect:#b35900;--session:#2364aa}\
    body{font-size:9.5pt;max-width:none;padding:0}a{text-decoration:none}\
    .skip,.controls,.zoom{display:none!important}\
    .rooms{font-size:8.5pt}.rooms>thead th:nth-child(5){width:44mm}.rooms>tbody[hidden]{display:table-row-group!important}\
    .rooms>tbody:has(details:not([open]))>.history{display:none!important}\
    .rooms>tbody:has(details:not([open]))>tr:first-child>*{border-bottom:1px solid var(--line)}\
    .rooms>thead button{display:none}.rooms>thead th::before{content:attr(data-title)}\
    .toggle{all:unset;font-weight:bold}.toggle::before{content:none!important}\
    .history summary{display:none}\
    thead{display:table-header-group;break-inside:avoid}tr,.cause li,figure,.strip{break-inside:avoid}h2,h3,caption{break-after:avoid}\
    .scroll{overflow:visible}.strips{min-width:0;width:100%!important}.axis .m{display:none!important}.plain{min-width:0;font-size:8pt}\
    .runs code,.hashes code{font-size:7.5pt}\
    #signatures{break-before:page}#signatures>p,.sign{break-inside:avoid}.sign tbody tr{height:12mm}\
    *{print-color-adjust:exact;-webkit-print-color-adjust:exact}}

    """
}
