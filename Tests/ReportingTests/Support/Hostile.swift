/// Texts of a room, a device or the stack that could break a program that repeats them.
enum Hostile {
  static let texts = [
    "line\nbreak\r\nand\rreturn", "\u{1B}[31mred\u{1B}[0m\u{1B}]0;title\u{7}", "quote \" and '",
    "comma, semicolon;",
    "=HYPERLINK(\"http://x\",\"y\")", "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1",
    "nul\0nul",
    "\u{202E}desrever\u{2066}", "\u{2028}\u{2029}\u{85}\u{9B}31m", "\"\u{301}combined", ",\u{301}",
    "=\u{301}1",
    "back\\slash \\n", "", " ", "👩‍👩‍👧‍👦🇩🇪", "שלום עולם", "Büro\u{308}", "\u{FEFF}bom", "{\"json\":1}", "--yes",
  ]

  /// Texts that are markup or end it.
  static let markup = [
    "<script>document.title='owned'</script>", "\"><img src=x onerror=document.title='owned'>", "]]>",
    "</style>",
    "</script><b>", "<!--", "&lt;b&gt;", "' onclick='x", "</bdi></td></table>", "${document.title}",
  ]
}
