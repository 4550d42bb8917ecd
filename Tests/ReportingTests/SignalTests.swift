import Bluetooth
import Model
import Testing

@testable import Reporting

@Suite("The signal of a device that `find` looks for")
struct SignalTests {
  private static let adapter = AdapterID(BluetoothAddress(rawValue: 9))
  private static let start = MonotonicInstant(sinceZero: .seconds(100))
  private static func at(_ seconds: Double) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

  private static func track(_ reports: [(at: Double, rssi: Int?)]) -> SignalTrack {
    var track = SignalTrack(from: start)
    for report in reports { track.receive(rssi: report.rssi, on: adapter, at: at(report.at)) }
    return track
  }

  private static func level(_ track: SignalTrack, at seconds: Double) -> Double? {
    if case .received(let level) = track.state(at: at(seconds)) { level } else { nil }
  }

  @Test("a signal is unknown until the first advertisement, and silent 5 s after the last one")
  func states() {
    var track = SignalTrack(from: Self.start)
    #expect(track.state(at: Self.at(3)) == .nothing(.seconds(3)))
    #expect(track.bellInterval(at: Self.at(3)) == nil)
    track.receive(rssi: -61, on: Self.adapter, at: Self.at(4))
    #expect(track.state(at: Self.at(8.9)) == .received(-61))
    #expect(track.state(at: Self.at(9)) == .silent(.seconds(5), last: -61))
    #expect(track.bellInterval(at: Self.at(9)) == nil)
  }

  @Test("the level follows two thirds of a step within a second, and does not jump")
  func smoothing() throws {
    var reports: [(at: Double, rssi: Int?)] = (0..<20).map { (Double($0) / 10, -90) }
    reports += (20...30).map { (Double($0) / 10, -60) }
    let track = Self.track(reports)
    let level = try #require(Self.level(track, at: 3))
    #expect(abs(level + 70) < 1.5, "\(level): a second after the step, 63 % of 30 dB")
    let steady = Self.track((0..<50).map { (Double($0) / 10, $0.isMultiple(of: 2) ? -57 : -63) })
    let mean = try #require(Self.level(steady, at: 5))
    #expect(abs(mean + 60) < 1, "\(mean)")
  }

  @Test("after a silence the level starts again with the next advertisement")
  func afterSilence() {
    let track = Self.track([(0, -90), (20, -50)])
    #expect(Self.level(track, at: 20) == -50)
    #expect(track.strongest == -50)
  }

  @Test("an advertisement without RSSI shows that the device is on air, and keeps the level")
  func withoutRSSI() {
    #expect(Self.track([(0, nil)]).state(at: Self.at(1)) == .received(nil))
    #expect(Self.track([(0, -70), (4, nil)]).state(at: Self.at(8)) == .received(-70))
    #expect(Self.track([(0, -70), (4, nil)]).state(at: Self.at(9)) == .silent(.seconds(5), last: -70))
  }

  @Test("the bell rings faster for a stronger signal, from once in 2 s to five times a second")
  func bell() {
    func interval(_ rssi: Int) -> Double? {
      Self.track([(0, rssi)]).bellInterval(at: Self.at(0)).map { $0 / .seconds(1) }
    }
    let intervals = [-120, -95, -80, -60, -45, -20].compactMap(interval)
    #expect(intervals.count == 6)
    #expect(intervals == intervals.sorted(by: >))
    #expect(abs(intervals[0] - 2) < 0.001 && intervals[1] == intervals[0])
    #expect(abs(intervals[4] - 0.2) < 0.001 && intervals[5] == intervals[4])
    var track = Self.track([(0, -20)])
    let rings = [0, 0.1, 0.25, 0.3, 0.5].map { track.rings(at: Self.at($0)) }
    #expect(rings == [true, false, true, false, true])
  }

  @Test("an advertisement that is taken twice counts once")
  func twice() {
    var track = Self.track([(0, -90), (1, -60)])
    let once = track
    track.receive(rssi: -60, on: Self.adapter, at: Self.at(1))
    #expect(track == once)
  }

  @Test("the bar fills its columns for every fraction", arguments: [1, 7, 20, 31])
  func bar(columns: Int) {
    for step in -2...42 {
      let bar = SignalView.bar(Double(step) / 40, columns: columns)
      #expect((bar.full + bar.rest).columns == columns, "\(step)")
    }
    #expect(SignalView.bar(0, columns: columns).full.isEmpty)
    #expect(SignalView.bar(1, columns: columns).rest.isEmpty)
  }

  @Test(
    "the view has three lines that fit the terminal, and the complete address",
    arguments: [20, 40, 80])
  func widths(_ width: Int) {
    let tracks = [
      SignalTrack(from: Self.start), Self.track([(0, -57)]), Self.track([(-300, -61)]),
      Self.track([(0, nil)]),
    ]
    for track in tracks {
      for name in [nil, "Room 312", "Conference Room Königin Elisabeth II. (east wing)"] {
        let lines = SignalView.lines(
          track, name: name, address: BluetoothAddress(rawValue: 0xC47C_8D00_0007), at: Self.at(0),
          style: TerminalStyle(width: width, hasColor: false))
        #expect(lines.count == 3)
        for line in lines { #expect(line.columns < width, "\(line)") }
        if width >= 40 { #expect(lines[0].contains("C4:7C:8D:00:00:07"), "\(lines[0])") }
      }
    }
  }

  @Test("the view shows the level, or the length of the silence with the last RSSI")
  func words() {
    func lines(_ track: SignalTrack, at seconds: Double) -> [String] {
      SignalView.lines(
        track, name: nil, address: nil, at: Self.at(seconds), style: TerminalStyle(width: 40, hasColor: false)
      )
    }
    #expect(lines(SignalTrack(from: Self.start), at: 3)[1] == "Not received yet, for 3 s")
    let track = Self.track([(0, -70), (0.1, -70)])
    #expect(lines(track, at: 1)[1] == " -70 dBm  ██████████████▌··············")
    #expect(lines(track, at: 12)[1] == "Not received for 11 s, last -70 dBm")
    #expect(lines(track, at: 12)[2] == "Strongest -70 dBm. Ctrl-C ends.")
    #expect(SignalView.plain(track, since: Self.start, at: Self.at(1)) == "1 s  -70 dBm")
    #expect(
      SignalView.plain(track, since: Self.start, at: Self.at(12))
        == "12 s  Not received for 11 s, last -70 dBm")
  }
}
