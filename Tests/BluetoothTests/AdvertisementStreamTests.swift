import Bluetooth
import Testing

@Suite struct AdvertisementStreamTests {
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

  @Test func orderAndEnd() async throws {
    let (stream, source) = AdvertisementStream.makeStream()
    for second in 1...3 { source.yield(advertisement(1, at: second)) }
    source.finish()
    source.yield(advertisement(1, at: 4))
    #expect(try await seconds(stream) == [1, 2, 3])
  }

  @Test func keepsNewestWhenFull() async throws {
    let (stream, source) = AdvertisementStream.makeStream(capacity: 2)
    source.yield(advertisement(1, at: 1))
    source.yield(advertisement(2, at: 2))
    source.yield(advertisement(2, at: 3))
    source.yield(advertisement(3, at: 4))
    source.finish()
    #expect(try await seconds(stream) == [3, 4])
  }

  @Test func deliversBeforeFailure() async throws {
    let (stream, source) = AdvertisementStream.makeStream()
    source.yield(advertisement(1, at: 1))
    source.finish(throwing: CentralError(.adapterUnavailable(.poweredOff)))
    var iterator = stream.makeAsyncIterator()
    #expect(try await iterator.next() != nil)
    await #expect(throws: CentralError(.adapterUnavailable(.poweredOff))) { try await iterator.next() }
  }

  @Test func cancelledReader() async throws {
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

  @Test func wakesAReaderThatWaits() async throws {
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
