import Bluetooth
import FoundationEssentials
import Model

/// Pictures that answer a question. Each is a table, whose last column draws its numbers, and has its answer as title. One
/// that would decide nothing is left out.
extension BuildingPage {
  var plots: Markup {
    let floors = report.counted.grouped(by: \.floor).map { $0.key }
    let plots = [course, signal(floors), age(floors)].compactMap(\.self)
    return plots.isEmpty ? "" : section("plots", "Progress, signal, time", plots.joined())
  }

  /// Below this, in dBm, connections fail often.
  private static let weak = -80

  /// A part of a bar, from 0 to 1.
  private struct Bar {
    /// From pale to dark, 0 to 3.
    var shade: Int
    var from: Double
    var to: Double
    var title: String
  }

  private typealias Row = (cells: [Markup], bars: [Bar])

  private func plot(_ answer: Markup, _ columns: [Markup], _ rows: [Row]) -> Markup {
    let lines = rows.map { row -> Markup in
      let bars = row.bars.map { bar -> Markup in
        let (x, width) = (percent(bar.from), percent(max(bar.to - bar.from, 0.004)))
        return """
          <rect class="p\(bar.shade)" x="\(x)%" width="\(width)%"><title>\(bar.title)</title></rect>
          """
      }
      return """
        <tr><th scope="row">\(row.cells[0])\(row.cells.dropFirst().map { "<td>\($0)" }.joined())\
        <td class="bar"><svg width="100%" height="14" aria-hidden="true">\(bars.joined())</svg></tr>

        """
    }
    return """
      <figure tabindex="0"><table class="plot"><caption>\(answer)</caption><thead>\
      <tr>\(columns.map { "<th scope=\"col\">\($0)" }.joined())<td></tr></thead><tbody>
      \(lines.joined())</tbody></table></figure>

      """
  }

  private func percent(_ part: Double) -> String {
    Decimal.short((min(max(part, 0), 1) * 1000).rounded() / 10) ?? "0"
  }

  // MARK: Progress

  /// The rooms that are done, by the day on which they were written, and by whom on which computer.
  private var course: Markup? {
    let runs = Dictionary(report.runs.map { ($0.started.run, $0.started) }, uniquingKeysWith: { a, _ in a })
    let counted = report.counted
    let writes = counted.filter { $0.state == .done }.compactMap(\.provisioned)
    let shares = writes.grouped { [times.day($0.at), runs[$0.run]?.operatorWords ?? "unknown"] }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    guard shares.count > 1 else { return nil }
    let total = Double(counted.count)
    var before = 0
    let rows = shares.map { share, writes -> Row in
      defer { before += writes.count }
      let after = before + writes.count
      return (
        [
          "\(share[0])", "<bdi>\(share[1])</bdi>", "\(Set(writes.map(\.run)).count)", "\(writes.count)",
          "\(after)",
        ],
        [
          Bar(shade: 0, from: 0, to: Double(before) / total, title: "\(before) before"),
          Bar(
            shade: 2, from: Double(before) / total, to: Double(after) / total,
            title: "\(writes.count.rooms) by \(share[1])"),
        ]
      )
    }
    let days = Set(shares.map { $0.key[0] }).count
    let people = Set(writes.compactMap { runs[$0.run]?.operatedBy }).sorted()
    let names = people.count > 3 ? "\(people.count) people" : people.joined(separator: ", ")
    let by: Markup? = people.isEmpty ? nil : " by <bdi>\(names)</bdi>"
    let left = report.open.count
    let more = Int((Double(left * days) / Double(writes.count)).rounded(.up))
    return plot(
      """
      \(report.verdict): \(days.counted("day")) of work\(by)\
      \(left > 0 ? "; at this pace \(more.counted("day")) more for \(left.rooms)" : "").
      """, ["Day", "By, on", "Runs", "Rooms", "Done then"], rows)
  }

  // MARK: Signal

  /// The last signal of each device, by floor and adapter.
  private func signal(_ order: [String?]) -> Markup? {
    let received = report.counted.compactMap { room -> (floor: String?, adapter: String, level: Int)? in
      guard let run = room.runs.last(where: { $0.room.rssi != nil }), let rssi = run.room.rssi else {
        return nil
      }
      return (room.floor, run.adapterName ?? run.room.adapter?.description ?? "–", rssi)
    }
    func countWeak(_ levels: [Int]) -> Int { levels.count { $0 < Self.weak } }
    let ranks = Dictionary(uniqueKeysWithValues: zip(order, 0...))
    func rank(_ floor: String?) -> Int { ranks[floor] ?? order.count }
    let floors = Dictionary(grouping: received) { $0.floor }.mapValues { $0.map { $0.level } }
    let places = received.grouped { [$0.floor, $0.adapter] }.map { $0.elements }
      .sorted { (rank($0[0].floor), $0[0].adapter) < (rank($1[0].floor), $1[0].adapter) }
    guard places.count > 1 || countWeak(received.map { $0.level }) > 0 else { return nil }
    func x(_ level: Int) -> Double { Double(level + 100) / 60 }
    let rows = places.map { devices -> Row in
      let sorted = devices.map { $0.level }.sorted()
      let (least, median, most) = (sorted[0], sorted[sorted.count / 2], sorted[sorted.count - 1])
      return (
        [
          "\(devices[0].floor ?? "–")", "\(devices[0].adapter)", "\(sorted.count)", "\(least)", "\(median)",
          "\(countWeak(sorted))",
        ],
        [
          Bar(shade: 1, from: x(least), to: x(most), title: "\(least) to \(most) dBm"),
          Bar(shade: 3, from: x(median) - 0.005, to: x(median) + 0.005, title: "median \(median) dBm"),
          Bar(shade: 3, from: x(Self.weak), to: x(Self.weak), title: "\(Self.weak) dBm"),
        ]
      )
    }
    let weakest = floors.max { a, b in
      let (first, second) = (countWeak(a.value) * b.value.count, countWeak(b.value) * a.value.count)
      return (first, rank(b.key)) < (second, rank(a.key))
    }
    let answer: Markup =
      if let weakest, countWeak(weakest.value) > 0 {
        """
        \(weakest.key.map { "\($0.floorTitle.uppercasedFirst) is received most weakly: " } ?? "")\
        \(countWeak(weakest.value)) of \(weakest.value.count.counted("device")) below \(Self.weak) dBm. \
        Stand nearer there next.
        """
      } else {
        "No device was last received below \(Self.weak) dBm."
      }
    return plot(answer, ["Floor", "Adapter", "Devices", "Weakest dBm", "Median dBm", "Weak"], rows)
  }

  // MARK: Age

  /// The time since each device was last received, by floor.
  private func age(_ floors: [String?]) -> Markup? {
    let limits: [(days: Double, name: Markup)] = [
      (1, "≤ 1 day"), (7, "≤ 7 days"), (30, "≤ 30 days"), (.infinity, "older"),
    ]
    func days(_ room: BuildingRoom) -> Double? {
      room.seen.map { report.made.timeIntervalSince($0.at) / 86_400 }
    }
    let rooms = Dictionary(grouping: report.counted, by: \.floor)
    let byFloor = floors.map { ($0, (rooms[$0] ?? []).compactMap(days)) }.filter { !$0.1.isEmpty }
    guard let oldest = byFloor.flatMap(\.1).max(), oldest > 1 else { return nil }
    let rows = byFloor.map { floor, ages -> Row in
      var (counts, bars, from) = ([Markup](), [Bar](), 0)
      for (index, limit) in limits.enumerated() {
        let least = index == 0 ? -Double.infinity : limits[index - 1].days
        let count = ages.count { $0 > least && $0 <= limit.days }
        counts.append("\(count)")
        guard count > 0 else { continue }
        let all = Double(ages.count)
        bars.append(
          Bar(
            shade: index, from: Double(from) / all, to: Double(from + count) / all,
            title: "\(count.counted("device"))"))
        from += count
      }
      return (["\(floor ?? "–")"] + counts, bars)
    }
    func old(_ ages: [Double]) -> Int { ages.count { $0 > 7 } }
    let worst = byFloor.max { old($0.1) < old($1.1) }
    let answer: Markup =
      if let worst, old(worst.1) > 0 {
        """
        \(old(worst.1)) of \(worst.1.count.counted("device"))\(worst.0.map { " on \($0.floorTitle)" } ?? "") were last \
        received more than 7 days ago: verify there next.
        """
      } else {
        "Every device on record was last received at most \(Int(oldest.rounded(.up)).counted("day")) before this report."
      }
    return plot(answer, ["Floor"] + limits.map(\.name), rows)
  }
}
