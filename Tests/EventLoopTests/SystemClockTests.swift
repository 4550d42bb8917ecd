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
    // On the clock's own thread, so that none is called before the last one exists.
    _ = clock.schedule(at: start) {
      for milliseconds in [60, 20, 40, -5] {
        _ = clock.schedule(at: start.advanced(by: .milliseconds(milliseconds))) {
          continuation.yield((milliseconds, start.duration(to: clock.now)))
        }
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
    // On the clock's own thread, so that the timer cannot come due before it is cancelled.
    _ = clock.schedule(at: clock.now) {
      let call = clock.schedule(at: clock.now) { continuation.yield("cancelled") }
      call.cancel()
      call.cancel()
      _ = clock.schedule(at: clock.now) { continuation.finish() }
    }
    #expect(await stream.reduce(into: []) { $0.append($1) } == [])
  }
}
