import Bluetooth
import Testing

@Suite("streams of advertisements") struct AdvertisementStreamTests {
  private func advertisement(_ device: UInt64, at second: Int) -> Advertisement {
    Advertisement(
      address: BluetoothAddress(rawValue: device), adapter: AdapterID(BluetoothAddress(rawValue: 0xFF)),
      receivedAt: MonotonicInstant(sinceZero: .seconds(second)))
  }

  private func seconds(_ stream: AdvertisementStream) async throws -> [Int64] {
    var seconds: [Int64] = []
    for try await item in stream { seconds.append(item.receivedAt.sinceZero.components.seconds) }
    return seconds
  }

  @Test("a stream delivers advertisements in order, and ignores those that are added after its end")
  func orderAndEnd() async throws {
    let (stream, source) = AdvertisementStream.makeStream()
    for second in 1...3 { source.yield(advertisement(1, at: second)) }
    source.finish()
    source.yield(advertisement(1, at: 4))
    #expect(try await seconds(stream) == [1, 2, 3])
  }

  /// A buffer of the newest two would keep 4 and 5 in the first case.
  @Test(
    "an advertisement for a full stream replaces the oldest of its peripheral, or else the oldest of all",
    arguments: [
      ([1, 2, 2, 2, 2], [1, 5]), ([1, 2, 1, 2, 3], [4, 5]), ([1, 2, 3], [2, 3]), ([1, 2, 3, 2], [3, 4]),
    ])
  func full(peripherals: [UInt64], kept: [Int64]) async throws {
    let (stream, source) = AdvertisementStream.makeStream(capacity: 2)
    for (index, peripheral) in peripherals.enumerated() {
      source.yield(advertisement(peripheral, at: index + 1))
    }
    source.finish()
    #expect(try await seconds(stream) == kept)
  }

  @Test("a failed stream delivers its buffered advertisement before it throws the error")
  func failure() async throws {
    let (stream, source) = AdvertisementStream.makeStream()
    source.yield(advertisement(1, at: 1))
    source.finish(throwing: CentralError(.adapterUnavailable(.poweredOff)))
    var iterator = stream.makeAsyncIterator()
    #expect(try await iterator.next() != nil)
    await #expect(throws: CentralError(.adapterUnavailable(.poweredOff))) { try await iterator.next() }
  }

  @Test("a cancelled reader ends without an error, after at most the one advertisement that was added")
  func cancelledReader() async throws {
    let (stream, source) = AdvertisementStream.makeStream()
    try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask { try await seconds(stream).count }
      source.yield(advertisement(1, at: 1))
      group.cancelAll()
      let read = try await group.next()
      #expect(read ?? -1 <= 1)
    }
    source.finish()
  }

  @Test("a reader in another task gets an advertisement and then the end")
  func waitingReader() async throws {
    let (stream, source) = AdvertisementStream.makeStream()
    let read = try await withThrowingTaskGroup(of: [Int64].self) { group in
      group.addTask { try await seconds(stream) }
      await Task.yield()
      source.yield(advertisement(1, at: 7))
      source.finish()
      return try await group.next()
    }
    #expect(read == [7])
  }
}
