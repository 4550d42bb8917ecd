import EventLoop
import Foundation
import Synchronization
import Testing

/// An actor on a loop, like connections and centrals.
private actor Pinned {
  let loop: LoopExecutor
  private(set) var entries: [String] = []
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: LoopExecutor) { self.loop = loop }

  func add(_ entry: String) { entries.append(entry) }
}

/// A pipe whose end is read on a loop.
private final class PipeEnd: LoopSource {
  private let pipe = Pipe()
  private let received: AsyncStream<UInt8>.Continuation
  private let isEnded = Mutex(false)

  init(_ received: AsyncStream<UInt8>.Continuation) { self.received = received }

  func send(_ byte: UInt8) throws { try pipe.fileHandleForWriting.write(contentsOf: [byte]) }
  func end() { isEnded.withLock { $0 = true } }

  func takeTurn(isReady: Bool) -> LoopInterest? {
    if isReady, let byte = try? pipe.fileHandleForReading.read(upToCount: 1)?.first { received.yield(byte) }
    if isEnded.withLock(\.self) {
      received.finish()
      return nil
    }
    return LoopInterest(
      descriptor: pipe.fileHandleForReading.fileDescriptor, wantsToWrite: false, hasMore: false)
  }
}

@Suite("The event loop", .timeLimit(.minutes(60)))
struct LoopExecutorTests {
  @Test("a body and its child tasks run on the calling thread")
  func run() {
    let thread = pthread_self()
    let isElsewhere = LoopExecutor.run {
      guard let loop = LoopExecutor.current else { return true }
      let pinned = Pinned(loop)
      await withTaskGroup { group in
        for index in 0..<10 { group.addTask { await pinned.add("\(index)") } }
      }
      await Task.yield()
      let isHere = pthread_equal(pthread_self(), thread) != 0
      let count = await pinned.entries.count
      return !isHere || count != 10
    }
    #expect(!isElsewhere)
  }

  @Test("an actor on the loop is isolated to it, also outside of jobs")
  func isolation() async {
    let loop = LoopExecutor.startThread()
    let pinned = Pinned(loop)
    #expect(loop.isIsolatingCurrentContext() == false)
    await withCheckedContinuation { done in
      loop.post {
        pinned.assumeIsolated { $0.add("\(loop.isIsolatingCurrentContext() == true)") }
        done.resume()
      }
    }
    #expect(await pinned.entries == ["true"])
  }

  @Test("items of one thread keep their order, whether it is the loop's thread or another")
  func order() async {
    let loop = LoopExecutor.startThread()
    let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
    for number in 0..<1000 {
      loop.post {
        continuation.yield(number)
        if number == 999 { loop.post { continuation.finish() } }
      }
    }
    #expect(await numbers.reduce(into: []) { $0.append($1) } == Array(0..<1000))
  }

  @Test("no item of many threads is lost while the loop sleeps or runs")
  func manyThreads() async {
    let loop = LoopExecutor.startThread()
    let pinned = Pinned(loop)
    await withTaskGroup { group in
      for thread in 0..<8 {
        group.addTask { for index in 0..<200 { await pinned.add("\(thread) \(index)") } }
      }
    }
    let entries = await pinned.entries
    #expect(Set(entries).count == 1600)
    for thread in 0..<8 {
      let own = entries.filter { $0.hasPrefix("\(thread) ") }
      #expect(own == (0..<200).map { "\(thread) \($0)" })
    }
  }

  @Test("timers are called on the loop's thread in order, and a cancelled one is not called")
  func timers() async {
    let loop = LoopExecutor.startThread()
    let (called, continuation) = AsyncStream.makeStream(of: Int.self)
    let now = SuspendingClock.now
    let cancelled = loop.schedule(at: now + .milliseconds(30)) { continuation.yield(-1) }
    for milliseconds in [60, 20, 40, -5] {
      _ = loop.schedule(at: now + .milliseconds(milliseconds)) {
        loop.checkIsolated()
        continuation.yield(SuspendingClock.now >= now + .milliseconds(milliseconds) ? milliseconds : -2)
        if milliseconds == 60 { continuation.finish() }
      }
    }
    cancelled.cancel()
    #expect(await called.reduce(into: []) { $0.append($1) } == [-5, 20, 40, 60])
  }

  @Test("each of several sources is served until it ends or is deallocated")
  func sources() async throws {
    let loop = LoopExecutor.startThread()
    let (first, firstReceived) = AsyncStream.makeStream(of: UInt8.self)
    let (second, secondReceived) = AsyncStream.makeStream(of: UInt8.self)
    let one = PipeEnd(firstReceived)
    let other = PipeEnd(secondReceived)
    loop.post {
      loop.serve(one)
      loop.serve(other)
    }
    try one.send(1)
    try other.send(2)
    var firsts = first.makeAsyncIterator()
    var seconds = second.makeAsyncIterator()
    #expect(await firsts.next() == 1)
    #expect(await seconds.next() == 2)
    one.end()
    loop.post {}
    #expect(await firsts.next() == nil)
    try other.send(3)
    #expect(await seconds.next() == 3)
  }

  @Test("the loop runs what was added before, and ends with the last reference to it")
  func ends() async {
    let (done, continuation) = AsyncStream.makeStream(of: Int.self)
    weak var weakLoop: LoopExecutor?
    do {
      let loop = LoopExecutor.startThread()
      weakLoop = loop
      for number in 0..<10 { loop.post { continuation.yield(number) } }
      loop.post { continuation.finish() }
    }
    #expect(await done.reduce(into: []) { $0.append($1) } == Array(0..<10))
    #expect(weakLoop == nil)
  }
}
