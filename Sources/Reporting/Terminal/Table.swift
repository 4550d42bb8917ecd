import Model

/// Columns of text, aligned by their width on a terminal.
package enum Table {
  /// The header and the rows, one line each; the last column is not padded.
  package static func text(header: [String], rows: [[String]]) -> String {
    lines(header: header, rows: rows).map { $0 + "\n" }.joined()
  }

  /// The same as lines.
  static func lines(header: [String], rows: [[String]]) -> [String] {
    let lines = ([header] + rows).map { $0.map(\.visible) }
    let widths = header.indices.map { column in lines.map { $0[column].columns }.max() ?? 0 }
    return lines.map { line in
      line.enumerated().map { index, cell in
        index == header.count - 1 ? cell : cell.fitted(to: widths[index])
      }.joined(separator: "  ")
    }
  }
}
