import Bluetooth
import EventLoop
import Testing

@Suite("The system clock", .timeLimit(.minutes(60)))
struct SystemClockTests {
  @Test("timers are called in order and not early, including one whose instant has passed")
  func timers() async {
    let clock = SystemClock()
    let start = clock.now
    let (stream, continuation) = AsyncStream.makeStream(of: (Int, Duration).self)
    for milliseconds in [60, 20, 40, -5] {
      _ = clock.schedule(at: start.advanced(by: .milliseconds(milliseconds))) {
        continuation.yield((milliseconds, start.duration(to: clock.now)))
      }
    }
    var called: [Int] = []
    for await (milliseconds, elapsed) in stream.prefix(4) {
      called.append(milliseconds)
      #expect(elapsed >= .milliseconds(milliseconds))
    }
    #expect(called == [-5, 20, 40, 60])
  }

  @Test("a cancelled timer is not called")
  func cancelled() async {
    let clock = SystemClock()
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let call = clock.schedule(at: clock.now.advanced(by: .milliseconds(50))) {
      continuation.yield("cancelled")
    }
    _ = clock.schedule(at: clock.now.advanced(by: .milliseconds(100))) { continuation.finish() }
    call.cancel()
    call.cancel()
    #expect(await stream.reduce(into: []) { $0.append($1) } == [])
  }
}
