import Model

extension BuildingPage {
  /// The RSSI of the devices in the newest run, and the time of each.
  var distributions: HTML {
    guard let newest else { return "" }
    let rooms = newest.run.report.selected
    let rssi = Histogram(rooms.compactMap { $0.rssi.map(Double.init) }, steps: [5, 10, 20, 50])
    let times = Histogram(
      rooms.filter(\.wasTried).map(\.seconds),
      steps: [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 14400, 86400])
    let figures = [
      figure("Last RSSI of each device", rssi, unit: "dBm"),
      figure("Time from the first attempt to the outcome", times, unit: "s"),
    ].compactMap(\.self)
    guard !figures.isEmpty else { return "" }
    return section(
      "distributions", "Devices in the newest run", "<div class=\"figures\">\(figures.joined())</div>")
  }

  private func figure(_ title: String, _ histogram: Histogram, unit: String) -> HTML? {
    guard let spread = histogram.spread else { return nil }
    let most = max(1, histogram.bins.map(\.count).max() ?? 1)
    let width = min(60, 480 / histogram.bins.count)
    let bars = histogram.bins.enumerated().map { index, bin -> HTML in
      let x = 10 + index * width
      let height = bin.count * 90 / most
      let value: HTML? =
        bin.count > 0
        ? "<text class=\"n\" x=\"\(x + width / 2)\" y=\"\(112 - height)\">\(bin.count)</text>" : nil
      return """
        <rect x="\(x + 2)" y="\(116 - height)" width="\(max(1, width - 4))" height="\(height)"/>\(value)\
        <text x="\(x + width / 2)" y="132">\(number(bin.from))</text>
        """
    }
    let words = histogram.bins.filter { $0.count > 0 }.map {
      "\($0.count) from \(number($0.from)) to below \(number($0.to)) \(unit)"
    }.joined(separator: "; ")
    return """
      <figure><figcaption>\(title), in \(unit)</figcaption>
      <svg viewBox="0 0 500 136" role="img" aria-label="Devices: \(words)."><path d="M8 116.5H492"/>\(bars.joined())</svg>
      <p>\(counted(histogram)): \(number(spread.least)) to \(number(spread.most)) \(unit), \
      median \(number(spread.median)) \(unit). A bar counts from the number below it up to the next one.</p></figure>

      """
  }

  private func counted(_ histogram: Histogram) -> String {
    histogram.bins.reduce(0) { $0 + $1.count }.counted("device")
  }

  private func number(_ value: Double) -> String {
    Decimal.short((value * 10).rounded() / 10) ?? "?"
  }
}
