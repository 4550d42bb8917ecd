import Bluetooth
import Model

extension BuildingPage {
  /// The work of each adapter in the newest run, as a picture and in numbers.
  var timeline: HTML {
    guard let newest else { return "" }
    let timeline = Timeline(newest.run.report)
    return section(
      "timeline", "Radio timeline of the newest run",
      """
      <p>\(link(run: newest.run.started.run)), from \(time(newest.run.began)), for \(timeline.seconds.asSeconds). \
      Times on the axis are minutes and seconds since it began.</p>
      <ul class="legend"><li><svg width="24" height="10" aria-hidden="true"><rect class="s" width="24"/></svg> \
      scan window<li><svg width="24" height="10" aria-hidden="true"><rect class="c" width="24"/></svg> \
      connecting<li><svg width="24" height="10" aria-hidden="true"><rect class="l" y="2" width="24"/></svg> session\
      <li><svg width="24" height="12" aria-hidden="true"><rect class="c f" x="1" y="1" width="22"/></svg> \
      failed (outlined, dashed)</ul>
      <p id="zoom" class="zoom" hidden><button type="button" data-zoom="0.5">Zoom out</button> \
      <button type="button" data-zoom="2">Zoom in</button></p>
      <div class="scroll" tabindex="0" role="region" aria-label="Timeline, can be scrolled">
      <div class="strips" id="strips">
      \(axis(timeline.seconds))
      \(timeline.adapters.map { strip($0, timeline.seconds) }.joined())</div></div>
      \(numbers(timeline))\(newest.run.report.speed.map { "<p>\($0.sentence) \($0.advice ?? "")</p>" } as HTML?)
      """)
  }

  /// Ten ticks at most, and ten times as many that are shown from a zoom of 8 on.
  private func axis(_ seconds: Double) -> HTML {
    let (coarse, fine) = (Timeline.tick(seconds), Timeline.tick(seconds / 10))
    let few = ticks(stride(from: 0, to: seconds, by: coarse), seconds)
    let many = ticks(stride(from: 0, to: seconds, by: fine), seconds)
    return """
      <svg class="axis" height="16" width="100%" aria-hidden="true">\(few)<g class="m">\(many)</g></svg>
      """
  }

  private func ticks(_ times: StrideTo<Double>, _ seconds: Double) -> HTML {
    times.map { at -> HTML in
      let x = percent(at, seconds)
      let label: HTML? =
        at > seconds * 0.94 ? nil : "<text x=\"\(x)%\" dx=\"3\" y=\"11\">\(Timeline.clock(at))</text>"
      return "<line x1=\"\(x)%\" x2=\"\(x)%\" y2=\"16\"/>\(label)"
    }.joined()
  }

  private func strip(_ lane: Timeline.AdapterLane, _ total: Double) -> HTML {
    let height = 16 + 12 * lane.lanes.count
    let windows = lane.windows.map {
      titled(
        "\(Timeline.clock($0.begin)) \($0.words), \($0.seconds.asSeconds)",
        bar($0, "s", y: 2, total))
    }
    let attempts = lane.lanes.enumerated().map { number, attempts in
      attempts.map { bars($0, y: 16 + 12 * number, total) }.joined()
    }
    return """
      <h3>\(lane.name ?? lane.adapter.description)</h3>
      <svg class="strip" width="100%" height="\(height)" role="img" \
      aria-label="\(lane.sentence(total))">\(windows.joined())\(attempts.joined())</svg>

      """
  }

  private func bars(_ attempt: Timeline.Attempt, y: Int, _ total: Double) -> HTML {
    let name = "\(attempt.room.planned.name), \(attempt.attempt.name)"
    let end = attempt.attempt.resultWords
    let isFailed = attempt.attempt.failure != nil
    let begin = Timeline.clock(attempt.connect.begin)
    guard let session = attempt.session else {
      return titled(
        "\(begin) \(name): \(end)", bar(attempt.connect, isFailed ? "c f" : "c", y: y, total))
    }
    let (connecting, talking) = (attempt.connect.seconds.asSeconds, session.seconds.asSeconds)
    return titled(
      "\(begin) \(name): connecting \(connecting), session \(talking), \(end)",
      bar(attempt.connect, "c", y: y, total)
        + bar(session, isFailed ? "l f" : "l", y: y + 2, total))
  }

  private func titled(_ title: String, _ bars: HTML) -> HTML {
    "<g><title>\(title)</title>\(bars)</g>"
  }

  /// The style has its height.
  private func bar(_ bar: Timeline.Bar, _ kind: HTML, y: Int, _ total: Double) -> HTML {
    """
    <rect class="\(kind)" x="\(percent(bar.begin, total))%" y="\(y)" width="\(percent(bar.seconds, total))%"/>
    """
  }

  private func percent(_ part: Double, _ whole: Double) -> String {
    Decimal.short(min(100, part / whole * 100)) ?? "0"
  }

  /// The same in numbers.
  private func numbers(_ timeline: Timeline) -> HTML {
    let rows = timeline.adapters.map { lane -> HTML in
      let scanned = lane.scanned()
      let connecting = lane.attempts.reduce(0) { $0 + $1.connect.seconds }
      return """
        <tr><th scope="row">\(lane.name ?? "") <code>\(lane.adapter.description)</code><td>\(lane.windows.count)\
        <td>\(scanned.asSeconds)<td>\(lane.counted)<td>\(lane.failed)<td>\(lane.notCounted)\
        <td>\(connecting.asSeconds)<td>\(lane.lanes.count)</tr>
        """
    }
    let columns: [HTML] = [
      "Adapter", "Scan windows", "Time scanning", "Attempts", "Failed", "Not counted", "Time connecting",
      "At once, at most",
    ]
    return """
      <div class="scroll" tabindex="0" role="region" aria-label="Timeline in numbers"><table class="plain">\
      <caption>The timeline in numbers.</caption><thead>\
      <tr>\(columns.map { "<th scope=\"col\">\($0)" }.joined())</tr></thead><tbody>\(rows.joined())</tbody></table></div>
      """
  }
}

extension Timeline {
  /// Seconds between two ticks of the axis: ten ticks at most.
  static func tick(_ seconds: Double) -> Double {
    let steps: [Double] = [
      1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400,
    ]
    return steps.first { seconds / $0 <= 10 } ?? (seconds / 10)
  }

  /// Minutes and seconds: `2:05`.
  static func clock(_ seconds: Double) -> String {
    let whole = Int(seconds)
    return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
  }
}

extension Timeline.Bar {
  /// The purpose in words.
  fileprivate var words: String {
    switch purpose {
    case .survey?: "scan for all devices"
    case .sighting?: "scan for devices to connect to"
    case .proof?: "scan for proofs"
    case nil: "scan"
    }
  }
}

extension Timeline.AdapterLane {
  /// How many of its attempts count.
  fileprivate var counted: Int { attempts.count { $0.attempt.notCounted == nil } }
  /// How many of these failed.
  fileprivate var failed: Int { attempts.count { $0.attempt.notCounted == nil && $0.attempt.failure != nil } }
  /// How many attempts do not count.
  fileprivate var notCounted: Int { attempts.count { $0.attempt.notCounted != nil } }

  fileprivate func sentence(_ total: Double) -> String {
    let exempt = notCounted == 0 ? "" : ", \(notCounted) not counted"
    return """
      \(name ?? adapter.description): \(windows.count.counted("scan window")), \(scanned().asSeconds) in all; \
      \(counted.counted("attempt")), \(failed) failed\(exempt); \(total.asSeconds) in all.
      """
  }
}
